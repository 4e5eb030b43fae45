/** The console on the RPC listener: its files, who may load them, and its content security policy. */
import { isIPv4 } from "node:net";
import { plainError } from "./http-endpoints.js";
import type { NodeRequest, NodeResponse } from "./rpc-handler.js";

export interface ConsoleFile {
  readonly contentType: string;
  readonly body: Buffer;
}

/** The files and settings of the console. */
export interface ConsolePages {
  /** By path below `/console/`, `index.html` among them. */
  readonly files: ReadonlyMap<string, ConsoleFile>;
  /** Address storefronts use, for the snippets that the console shows; undefined where it is not known. */
  readonly storefrontUrl: string | undefined;
  /** False: only callers on this machine are shown the console. */
  readonly anyPeer: boolean;
}

/**
 * The page loads scripts and styles from its own origin, calls only that origin, and cannot be framed. Pictures may come
 * from any https host; the page decides which (`web/console/pictures.ts`). Plain http is limited to this server's facade,
 * so that no picture reaches into the operator's network.
 */
const policyWith = (pictures: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: https:${pictures}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

/** Answers requests below `/console`. Returns false, and does nothing, for other paths. */
export function createConsole({ files, storefrontUrl, anyPeer }: ConsolePages) {
  const about = Buffer.from(JSON.stringify({ storefrontUrl: storefrontUrl ?? null }));
  const policy = policyWith(storefrontUrl === undefined ? "" : ` ${new URL(storefrontUrl).origin}`);
  const all = new Map(
    [...files, ["about.json", { contentType: "application/json", body: about }] as const].map(([path, file]) => {
      const at: string = `/console/${path === "index.html" ? "" : path}`;
      return [at, file] as const;
    }),
  );
  return (request: NodeRequest, response: NodeResponse): boolean => {
    const path = request.url?.split("?", 1)[0] ?? "";
    if (path !== "/console" && !path.startsWith("/console/")) return false;
    const file = all.get(path);
    if (!anyPeer && !isFromThisMachine(request)) {
      plainError(response, 403, "permission_denied", "The console is shown on this machine only (--console)");
    } else if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      plainError(response, 405, "unimplemented", "This path takes GET only");
    } else if (path === "/console") {
      response.statusCode = 308;
      response.setHeader("location", "/console/");
      response.end();
    } else if (file === undefined) {
      plainError(response, 404, "not_found", "There is no such file");
    } else {
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
      response.setHeader("content-security-policy", policy);
      response.setHeader("content-type", file.contentType);
      if (request.method === "HEAD") response.end();
      else response.end(file.body);
    }
    return true;
  };
}

/** A request with a proxy's headers counts as remote, even when the proxy runs on this machine. */
function isFromThisMachine(request: NodeRequest): boolean {
  const { headers } = request;
  if (headers["x-forwarded-for"] !== undefined || headers.forwarded !== undefined) return false;
  const address = (request.socket.remoteAddress ?? "").replace(/^::ffff:/i, "");
  return address === "::1" || (isIPv4(address) && address.startsWith("127."));
}
