/** Opens ports. A failure is one line that names the setting. */
import { randomInt } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import { type ListenAddress, SETTINGS } from "./settings/config.js";

/** The listener cannot listen. The message is one line with the setting and the reason. */
class ListenError extends Error {
  readonly exitCode = 1;
}

/** The settings for the address of a listener. */
interface ListenSettings {
  readonly host: { readonly flag: string; readonly variable: string };
  readonly port: { readonly flag: string; readonly variable: string };
}

export const FACADE: ListenSettings = { host: SETTINGS.host, port: SETTINGS.facadePort };
export const RPC: ListenSettings = { host: SETTINGS.rpcHost, port: SETTINGS.rpcPort };

const PORT_FAULTS: ReadonlyMap<string, string> = new Map([
  ["EADDRINUSE", "is taken; choose another, 0 for any free one"],
  ["EACCES", "may not be opened by this user"],
]);
const HOST_FAULTS: ReadonlyMap<string, string> = new Map([
  ["EADDRNOTAVAIL", "is no address of this machine"],
  ["ENOTFOUND", "is not known as a host name"],
  ["EAI_AGAIN", "cannot be looked up now"],
]);

/** Waits for a listener; its system error becomes a ListenError. */
export async function opened<T>(listening: Promise<T>, port: number, settings: ListenSettings): Promise<T> {
  try {
    return await listening;
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    const hostFault = HOST_FAULTS.get(code);
    const { flag, variable } = hostFault === undefined ? settings.port : settings.host;
    const portFault = PORT_FAULTS.get(code) ?? `cannot be opened (${code || "no reason given"})`;
    throw new ListenError(`${flag} (${variable}): ${hostFault ?? `port ${port} ${portFault}`}`, { cause });
  }
}

/**
 * Below the ports that systems give to outgoing connections, which could take the port between the check and its use.
 */
const FREE_FROM = 10_000;
const FREE_TO = 32_768;
const FREE_TRIES = 20;

/** Returns the port, or for 0 a free one, after a check that it can be opened. It is closed again. */
export async function closedPort(address: ListenAddress, settings: ListenSettings): Promise<number> {
  for (let n = 0; address.port === 0 && n < FREE_TRIES; n++) {
    const port = randomInt(FREE_FROM, FREE_TO);
    if (await probe({ ...address, port }).catch(() => undefined)) return port; // a port in use is left alone
  }
  return opened(probe(address), address.port, settings);
}

/** Opens a port and closes it again. @returns its number */
function probe({ host, port }: ListenAddress): Promise<number> {
  const server = createServer((socket) => socket.destroy());
  return new Promise<number>((resolve, reject) => {
    server.once("error", reject);
    // `exclusive`: a worker asks the system, not its primary, which may hold the port for it already.
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : port));
    });
  });
}

export function urlOf(host: string, port: number, scheme: "http" | "https" = "http"): string {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `${scheme}://${name}:${port}`;
}

/** The open connections of a server, so that a drain ends. */
export function trackSockets(server: Server): { destroy(which: (socket: Socket) => boolean): void } {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return {
    destroy(which) {
      for (const socket of sockets) if (which(socket)) socket.destroy();
    },
  };
}
