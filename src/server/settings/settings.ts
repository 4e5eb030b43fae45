import type { Setting } from "./setting.js";

/** The flags of `aisle serve`: text as typed, undefined where a flag is absent. */
export interface ConfigFlags {
  readonly store?: string | undefined;
  readonly facadePort?: string | undefined;
  readonly rpcPort?: string | undefined;
  readonly host?: string | undefined;
  readonly rpcHost?: string | undefined;
  readonly publicUrl?: string | undefined;
  readonly trainEvery?: string | undefined;
  readonly logLevel?: string | undefined;
  readonly cacheSeconds?: string | undefined;
  readonly answerMs?: string | undefined;
  readonly demo?: boolean | undefined;
  readonly insecureRpc?: boolean | undefined;
  readonly role?: string | undefined;
  readonly rpcUrl?: string | undefined;
  readonly rpcNames?: string | undefined;
  readonly rpcOrigins?: string | undefined;
  readonly rpcTokens?: string | undefined;
  readonly auditLog?: string | undefined;
  readonly console?: string | undefined;
  readonly embedder?: string | undefined;
  readonly learnedOrder?: boolean | undefined;
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  readonly rpcTlsCert?: string | undefined;
  readonly rpcTlsKey?: string | undefined;
  readonly rpcClientCa?: string | undefined;
  readonly ca?: string | undefined;
  readonly clientCert?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly privateHooks?: boolean | undefined;
  readonly privateFeeds?: boolean | undefined;
  readonly preStop?: string | undefined;
  readonly minFreeMib?: string | undefined;
  readonly memoryMib?: string | undefined;
  readonly trustedProxies?: string | undefined;
  readonly shopNetworks?: string | undefined;
  readonly learnProducts?: string | undefined;
  readonly linksPerVisitor?: string | undefined;
  readonly linksPerNetwork?: string | undefined;
  readonly linksPerApp?: string | undefined;
  readonly connectionsPerAddress?: string | undefined;
  readonly otlpEndpoint?: string | undefined;
  readonly traceRatio?: string | undefined;
}

/** Names of each setting as an operator writes them. */
export const SETTINGS = {
  store: { flag: "--store", variable: "AISLE_STORE" },
  facadePort: { flag: "--facade-port", variable: "AISLE_FACADE_PORT" },
  rpcPort: { flag: "--rpc-port", variable: "AISLE_RPC_PORT" },
  host: { flag: "--host", variable: "AISLE_HOST" },
  rpcHost: { flag: "--rpc-host", variable: "AISLE_RPC_HOST" },
  publicUrl: { flag: "--public-url", variable: "AISLE_PUBLIC_URL" },
  trainEvery: { flag: "--train-every", variable: "AISLE_TRAIN_EVERY" },
  logLevel: { flag: "--log-level", variable: "AISLE_LOG_LEVEL" },
  cacheSeconds: { flag: "--cache-seconds", variable: "AISLE_CACHE_SECONDS" },
  answerMs: { flag: "--answer-ms", variable: "AISLE_ANSWER_MS" },
  demo: { flag: "--demo", variable: "AISLE_DEMO" },
  role: { flag: "--role", variable: "AISLE_ROLE" },
  rpcUrl: { flag: "--rpc-url", variable: "AISLE_RPC_URL" },
  rpcNames: { flag: "--rpc-names", variable: "AISLE_RPC_NAMES" },
  rpcOrigins: { flag: "--rpc-origins", variable: "AISLE_RPC_ORIGINS" },
  rpcTokens: { flag: "--rpc-tokens", variable: "AISLE_RPC_TOKENS" },
  auditLog: { flag: "--audit-log", variable: "AISLE_AUDIT_LOG" },
  console: { flag: "--console", variable: "AISLE_CONSOLE" },
  embedder: { flag: "--embedder", variable: "AISLE_EMBEDDER" },
  learnedOrder: { flag: "--learned-order", variable: "AISLE_LEARNED_ORDER" },
  tlsCert: { flag: "--tls-cert", variable: "AISLE_TLS_CERT" },
  tlsKey: { flag: "--tls-key", variable: "AISLE_TLS_KEY" },
  rpcTlsCert: { flag: "--rpc-tls-cert", variable: "AISLE_RPC_TLS_CERT" },
  rpcTlsKey: { flag: "--rpc-tls-key", variable: "AISLE_RPC_TLS_KEY" },
  rpcClientCa: { flag: "--rpc-client-ca", variable: "AISLE_RPC_CLIENT_CA" },
  ca: { flag: "--ca", variable: "AISLE_CA" },
  clientCert: { flag: "--client-cert", variable: "AISLE_CLIENT_CERT" },
  clientKey: { flag: "--client-key", variable: "AISLE_CLIENT_KEY" },
  preStop: { flag: "--pre-stop", variable: "AISLE_PRE_STOP" },
  minFreeMib: { flag: "--min-free-mib", variable: "AISLE_MIN_FREE_MIB" },
  memoryMib: { flag: "--memory-mib", variable: "AISLE_MEMORY_MIB" },
  trustedProxies: { flag: "--trusted-proxies", variable: "AISLE_TRUSTED_PROXIES" },
  shopNetworks: { flag: "--shop-networks", variable: "AISLE_SHOP_NETWORKS" },
  learnProducts: { flag: "--learn-products", variable: "AISLE_LEARN_PRODUCTS" },
  linksPerVisitor: { flag: "--links-per-visitor", variable: "AISLE_LINKS_PER_VISITOR" },
  linksPerNetwork: { flag: "--links-per-network", variable: "AISLE_LINKS_PER_NETWORK" },
  linksPerApp: { flag: "--links-per-app", variable: "AISLE_LINKS_PER_APP" },
  connectionsPerAddress: { flag: "--connections-per-address", variable: "AISLE_CONNECTIONS_PER_ADDRESS" },
  otlpEndpoint: { flag: "--otlp-endpoint", variable: "AISLE_OTLP_ENDPOINT" },
  traceRatio: { flag: "--trace-ratio", variable: "AISLE_TRACE_RATIO" },
  privateFeeds: { flag: "--private-feeds", variable: "AISLE_PRIVATE_FEEDS" },
  privateHooks: { flag: "--private-hooks", variable: "AISLE_PRIVATE_HOOKS" },
  insecureRpc: { flag: "--insecure-rpc", variable: "AISLE_INSECURE_RPC" },
} as const satisfies Record<keyof ConfigFlags, Setting>;
