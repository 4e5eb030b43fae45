/** TLS for the REST listener: HTTP/1.1 over TLS 1.2 or newer, with the limits of the plain one. */
import type { RequestListener, Server } from "node:http";
import { createServer, Server as HttpsServer } from "node:https";
import { SERVER_LIMITS } from "./server-limits.js";

/** Both in PEM: the certificate, followed by those that signed it, and its private key. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Time limit of a handshake, in milliseconds. */
const HANDSHAKE_MS = 10_000;

export function createSecureServer(certificate: Certificate, listener: RequestListener): Server {
  const { http, keepAliveTimeout, requestTimeout, connectionTimeout } = SERVER_LIMITS;
  const options = { ...http, ...certificate, keepAliveTimeout, requestTimeout, handshakeTimeout: HANDSHAKE_MS };
  const server = createServer(options, listener);
  server.setTimeout(connectionTimeout);
  return server;
}

/** Uses another certificate for new connections; open ones continue. */
export function renewCertificate(server: Server, { cert, key }: Certificate): void {
  if (server instanceof HttpsServer) server.setSecureContext({ cert, key });
}
