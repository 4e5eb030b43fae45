import { readFileSync } from "node:fs";
import type { Interceptor } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { type Defaults, withDefaults } from "./defaults.js";
import { type Clients, clientsOver } from "./services.js";

export interface ConnectOptions extends Defaults {
  /** Address of the RPC port. Default: AISLE_SERVER, else http://127.0.0.1:8081. */
  readonly server?: string;
  /** Token of the caller. Default: AISLE_TOKEN, else none. */
  readonly token?: string;
  /** PEM file of the authority of an https server. Default: AISLE_CA, else those that Node trusts. */
  readonly ca?: string;
}

/** Clients of all services over one HTTP/2 connection. It is opened by the first call and closes when idle. */
export function connect(options: ConnectOptions = {}): Clients {
  const { AISLE_SERVER, AISLE_TOKEN, AISLE_CA } = process.env;
  const token = options.token ?? AISLE_TOKEN;
  const ca = options.ca ?? AISLE_CA;
  const withToken: Interceptor = (next) => (request) => {
    if (token) request.header.set("authorization", `Bearer ${token}`);
    return next(request);
  };
  const transport = createGrpcTransport({
    baseUrl: options.server ?? (AISLE_SERVER || "http://127.0.0.1:8081"),
    interceptors: [withToken],
    ...(ca ? { nodeOptions: { ca: readFileSync(ca) } } : {}),
  });
  return clientsOver(withDefaults(transport, options));
}
