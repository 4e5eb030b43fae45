/**
 * Keeps pages of other sites away from the RPC port. A browser sends what any page tells it to, from inside the shop's network;
 * the page cannot read the answer, but whether it loads tells a known e-mail address from an unknown one.
 */
import type { NodeRequest } from "./rpc-handler.js";

/** Headers of every answer: no page of another origin gets it, no browser guesses its type, no cache keeps it. */
export const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

export type HeadersAsSent = Readonly<Pick<NodeRequest, "httpVersionMajor">> & {
  readonly rawHeaders: readonly string[];
};

/**
 * The one host that a request names, "" for none. Undefined for two: a proxy in front may have used the other one.
 * HTTP/2 allows a `host` that repeats `:authority`.
 */
export function hostOf({ rawHeaders, httpVersionMajor }: HeadersAsSent): string | undefined {
  const hosts: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase();
    if (name === "host" || name === ":authority") hosts.push(rawHeaders[at + 1]?.toLowerCase() ?? "");
  }
  const [host = "", ...more] = hosts;
  const mayRepeat = httpVersionMajor === 2;
  return more.every((other) => mayRepeat && other === host) ? host : undefined;
}

/** True for a browser's request from a page of another origin. Programs send none of these headers. */
export function isFromOtherOrigin(request: NodeRequest, host: string): boolean {
  const { origin } = request.headers;
  if (origin !== undefined && !isOwnOrigin(origin, host, "encrypted" in request.socket)) return true;
  const site = request.headers["sec-fetch-site"];
  if (site === undefined || site === "none" || site === "same-origin") return false;
  return !opensConsole(request);
}

/** The page may be behind a proxy that adds TLS; a port with its own TLS has no page over http. */
function isOwnOrigin(origin: string, host: string, isTls: boolean): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, origin: page } = new URL(origin);
  const own = `${protocol}//${host}`;
  if (protocol !== "https:" && (protocol !== "http:" || isTls)) return false;
  return URL.canParse(own) && new URL(own).origin === page;
}

/** Other sites may link to the console: its page is the same for everybody, and cannot be framed. */
function opensConsole({ method, url = "", headers }: NodeRequest): boolean {
  const path = url.split("?", 1)[0];
  return (
    method === "GET" &&
    (path === "/console" || path === "/console/") &&
    headers["sec-fetch-mode"] === "navigate" &&
    headers["sec-fetch-dest"] === "document"
  );
}
