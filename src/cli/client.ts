import { readFileSync } from "node:fs";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import type { Command } from "commander";
import type { Clients } from "./clients.js";
import type { CommandDeps } from "./deps.js";
import { DryRunEnd, UsageFailure } from "./errors.js";
import { plainId } from "./option-values.js";

export type { Clients };

const DEFAULT_PORT = "8081";
const DEFAULT_SERVER = `http://127.0.0.1:${DEFAULT_PORT}`;

/** Deadline of a short call; a healthy server answers far sooner. */
export const CALL_TIMEOUT_MS = 30_000;

/** Deadline of a bulk call of at most 1,000 items, on a busy machine. */
export const BULK_TIMEOUT_MS = 120_000;

/** Options of a short call. */
export const CALL = { timeoutMs: CALL_TIMEOUT_MS };

export interface ServerOptions {
  readonly server?: string;
  readonly ca?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
  /** Only try the changes. */
  readonly dryRun?: boolean;
}

/** Options of a command about one app. */
export interface AppOptions extends ServerOptions {
  readonly app: string;
  readonly json?: boolean;
}

/** A command of a group, about one app. */
export function appCommand(group: Command, name: string, description: string): Command {
  return withServer(group.command(name)).description(description).requiredOption("--app <id>", "the app", plainId);
}

/** Adds the options that name the server and the credentials of both sides. */
export function withServer(command: Command): Command {
  return command
    .option(
      "--server <url>",
      `the server's RPC address (AISLE_SERVER, else http://127.0.0.1 at AISLE_RPC_PORT or ${DEFAULT_PORT})`,
    )
    .option("--ca <file>", "CA of the certificate of an https server, PEM (AISLE_CA)")
    .option("--client-cert <file>", "client certificate, PEM (AISLE_CLIENT_CERT)")
    .option("--client-key <file>", "private key of that certificate, PEM (AISLE_CLIENT_KEY)");
}

/** Adds the option that only tries what the command changes. */
export function withDryRun(command: Command): Command {
  return command.option("--dry-run", "check everything, but change nothing");
}

/** The parts of the process that `withClients` uses. */
type ClientDeps = Pick<CommandDeps, "env" | "signal" | "onAnswer">;

/**
 * Runs `work` with clients of the server that flag, environment or default name, then closes the connection.
 * @throws UsageFailure for a malformed address, Failure if a call fails, Interrupted when the signal fires, DryRunEnd after
 * a dry run
 */
export async function withClients<Result>(
  options: ServerOptions,
  deps: ClientDeps,
  work: (clients: Clients) => Promise<Result>,
): Promise<Result> {
  const result = await withTryingClients(options, deps, work);
  if (options.dryRun) throw new DryRunEnd();
  return result;
}

/** `withClients` for commands that print the result of a dry run themselves. */
export async function withTryingClients<Result>(
  options: ServerOptions,
  { env, signal, onAnswer }: ClientDeps,
  work: (clients: Clients) => Promise<Result>,
): Promise<Result> {
  const server = serverAddress(options.server?.trim() || env.AISLE_SERVER?.trim() || localServer(env));
  const tls = tlsOf(options, env);
  const token = env.AISLE_TOKEN?.trim() ?? "";
  // Loaded once something is called: the messages of nine services take longer than most usage errors.
  const { callServer } = await import("./clients.js");
  return callServer({ server, tls, token, onlyTry: options.dryRun ?? false, signal, onAnswer }, work);
}

/** The server that `aisle serve` starts in this environment. */
function localServer({ AISLE_RPC_PORT: port = "" }: ClientDeps["env"]): string {
  return /^[1-9]\d{0,4}$/.test(port.trim()) ? `http://127.0.0.1:${port.trim()}` : DEFAULT_SERVER;
}

/** Trusted authorities and the client's own certificate, as `node:tls` takes them. */
function tlsOf(options: ServerOptions, env: ClientDeps["env"]): SecureContextOptions {
  const read = (flag: string, variable: string, option: string | undefined): string | undefined => {
    const path = option?.trim() || env[variable]?.trim();
    if (!path) return undefined;
    try {
      return readFileSync(path, "utf8");
    } catch {
      throw new UsageFailure(`${flag} (${variable}): the file cannot be read`);
    }
  };
  const ca = read("--ca", "AISLE_CA", options.ca);
  const cert = read("--client-cert", "AISLE_CLIENT_CERT", options.clientCert);
  const key = read("--client-key", "AISLE_CLIENT_KEY", options.clientKey);
  try {
    const context = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
    createSecureContext(context);
    return context;
  } catch {
    throw new UsageFailure("--client-cert and --client-key: a certificate in PEM and its private key are accepted");
  }
}

function serverAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new UsageFailure(`--server (AISLE_SERVER): an http or https address is accepted, such as ${DEFAULT_SERVER}`);
  }
  return (url.origin + url.pathname).replace(/\/+$/, "");
}
