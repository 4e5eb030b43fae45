import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { oneAtATime } from "../../http/pipelining.js";
import type { ListenerLimits } from "./limits.js";
import type { NodeRequest, NodeResponse } from "./rpc-handler.js";

/** Of a request, on either protocol. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** The HTTP/1.1 server, which does not listen itself. A connection has one request under way. */
export function createHttp1Server(
  limits: ListenerLimits,
  answer: (request: NodeRequest, response: NodeResponse) => void,
): Server {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: limits.headersMs,
      // Off, since it would break long imports: bodies have limits by kind of call (`request-body.ts`).
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(2_000, limits.headersMs),
      keepAliveTimeout: Math.min(65_000, limits.idleMs),
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
      noDelay: true,
    },
    oneAtATime(answer),
  );
  server.maxConnections = limits.maxConnections;
  server.maxHeadersCount = 100;
  return server;
}

/** Removes the server's own connection listener, for a caller that chooses the sockets itself. */
export function takeConnections(server: Server): (socket: Socket) => void {
  const own = server.listeners("connection");
  server.removeAllListeners("connection");
  return (socket) => {
    for (const listener of own) Reflect.apply(listener, server, [socket]);
  };
}
