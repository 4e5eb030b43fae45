import type { Command } from "commander";

/** The flags of `serve` as given; the reader of the configuration checks them. */
export interface ServeFlags {
  readonly store?: string;
  readonly facadePort?: string;
  readonly rpcPort?: string;
  readonly host?: string;
  readonly rpcHost?: string;
  readonly publicUrl?: string;
  readonly trainEvery?: string;
  readonly logLevel?: string;
  readonly cacheSeconds?: string;
  readonly answerMs?: string;
  readonly demo?: boolean;
  readonly insecureRpc?: boolean;
  readonly role?: string;
  readonly rpcUrl?: string;
  readonly rpcNames?: string;
  readonly rpcOrigins?: string;
  readonly rpcTokens?: string;
  readonly auditLog?: string;
  readonly console?: string;
  readonly embedder?: string;
  readonly learnedOrder?: boolean;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly rpcTlsCert?: string;
  readonly rpcTlsKey?: string;
  readonly rpcClientCa?: string;
  readonly ca?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
  readonly privateHooks?: boolean;
  readonly privateFeeds?: boolean;
  readonly preStop?: string;
  readonly minFreeMib?: string;
  readonly memoryMib?: string;
  readonly trustedProxies?: string;
  readonly shopNetworks?: string;
  readonly learnProducts?: string;
  readonly linksPerVisitor?: string;
  readonly linksPerNetwork?: string;
  readonly linksPerApp?: string;
  readonly connectionsPerAddress?: string;
  readonly otlpEndpoint?: string;
  readonly traceRatio?: string;
  readonly force?: boolean;
}

/** @param deps `serve` runs a server until a signal stops it. It may throw an error with an `exitCode`. */
export function define(serve: Command, deps: { readonly serve: (flags: ServeFlags) => Promise<void> }): void {
  serve
    .option(
      "--store <store>",
      "where data lives: embedded:DIR or mongodb://… (AISLE_STORE, else embedded:./aisle-data)",
    )
    .option("--facade-port <port>", "port of the shop's REST interface, 0 for any (AISLE_FACADE_PORT, else 8080)")
    .option("--rpc-port <port>", "port of gRPC, gRPC-Web and Connect, 0 for any (AISLE_RPC_PORT, else 8081)")
    .option("--host <host>", "address the REST interface listens on (AISLE_HOST, else 127.0.0.1)")
    .option("--rpc-host <host>", "address the RPC port listens on (AISLE_RPC_HOST, else 127.0.0.1)")
    .option("--rpc-tokens <file>", "file of the tokens that RPC callers need; see aisle token (AISLE_RPC_TOKENS)")
    .option("--audit-log <target>", "where the audit log goes: a file, stderr or stdout (AISLE_AUDIT_LOG, else stderr)")
    .option(
      "--console <whom>",
      "who may open the console at /console/: loopback, any or off (AISLE_CONSOLE, else loopback)",
    )
    .option("--insecure-rpc", "accept RPC calls from other machines without a token (AISLE_INSECURE_RPC)")
    .option("--public-url <url>", "URL at which storefronts reach this server (AISLE_PUBLIC_URL)")
    .option(
      "--train-every <time>",
      "when apps are trained: auto, every 30s, 10m or 1h if anything changed, or off (AISLE_TRAIN_EVERY, else auto)",
    )
    .option("--cache-seconds <n>", "lifetime of the subscription cookies, in seconds (AISLE_CACHE_SECONDS, else 1800)")
    .option("--answer-ms <ms>", "timeout of callers who wait for a MongoDB store, in ms (AISLE_ANSWER_MS, else 750)")
    .option(
      "--min-free-mib <n>",
      "free disk space below which an embedded store rejects writes (AISLE_MIN_FREE_MIB, else 256)",
    )
    .option(
      "--memory-mib <n>",
      "memory of catalogues and models of a process, in MiB; the least used leave (AISLE_MEMORY_MIB, else off)",
    )
    .option("--log-level <level>", "trace, debug, info, warn, error, fatal or silent (AISLE_LOG_LEVEL, else info)")
    .option("--role <role>", "all, facade, services or trainer (AISLE_ROLE, else all)")
    .option("--rpc-url <url>", "where the services answer, for --role facade (AISLE_RPC_URL)")
    .option("--rpc-names <names>", "host names callers use for the RPC port, with commas between (AISLE_RPC_NAMES)")
    .option("--rpc-origins <origins>", "origins of pages that may call RPCs, with commas between (AISLE_RPC_ORIGINS)")
    .option(
      "--embedder <model>",
      "builtin, visits, onnx:PATH or https://…/embeddings?model=NAME (AISLE_EMBEDDER, else builtin)",
    )
    .option("--learned-order", "learn to rank the recommended products (AISLE_LEARNED_ORDER, else on)")
    .option("--no-learned-order", "rank by the scores of the sources alone; trains faster")
    .option("--tls-cert <file>", "certificate of the REST interface, PEM; enables https (AISLE_TLS_CERT)")
    .option("--tls-key <file>", "private key of that certificate, PEM (AISLE_TLS_KEY)")
    .option("--rpc-tls-cert <file>", "certificate of the RPC port, PEM; enables TLS (AISLE_RPC_TLS_CERT)")
    .option("--rpc-tls-key <file>", "private key of that certificate, PEM (AISLE_RPC_TLS_KEY)")
    .option("--rpc-client-ca <file>", "CA of client certificates, PEM; RPC callers then need one (AISLE_RPC_CLIENT_CA)")
    .option("--ca <file>", "CA of the certificate at --rpc-url, PEM (AISLE_CA, else the CAs that Node trusts)")
    .option("--client-cert <file>", "client certificate for --rpc-url, PEM (AISLE_CLIENT_CERT)")
    .option("--client-key <file>", "private key of that certificate, PEM (AISLE_CLIENT_KEY)")
    .option(
      "--pre-stop <time>",
      "how long to keep serving after SIGTERM while /readyz reports not ready (AISLE_PRE_STOP, else off)",
    )
    .option("--trusted-proxies <networks>", "proxies whose X-Forwarded-For header is trusted (AISLE_TRUSTED_PROXIES)")
    .option(
      "--shop-networks <networks>",
      "networks of the shop's own servers, whose events are trusted (AISLE_SHOP_NETWORKS)",
    )
    .option(
      "--learn-products <when>",
      "learn products from events: auto (until the shop imports some by feed or RPC), on or off (AISLE_LEARN_PRODUCTS, else auto)",
    )
    .option(
      "--links-per-visitor <n>",
      "e-mail addresses and phone numbers that may be linked to one visitor a day (AISLE_LINKS_PER_VISITOR, else 3)",
    )
    .option(
      "--links-per-network <n>",
      "the same limit for one network: IPv4 /24 or IPv6 /48 (AISLE_LINKS_PER_NETWORK, else 20)",
    )
    .option(
      "--links-per-app <n>",
      "visitors that may be linked to addresses the app knew before, in one hour (AISLE_LINKS_PER_APP, else 1000)",
    )
    .option(
      "--connections-per-address <n>",
      "connections that one address may hold to a port: a number, share or off (AISLE_CONNECTIONS_PER_ADDRESS, else share)",
    )
    .option(
      "--otlp-endpoint <url>",
      "OTLP/HTTP collector for traces, without /v1/traces (AISLE_OTLP_ENDPOINT, else tracing is off)",
    )
    .option(
      "--trace-ratio <share>",
      "share of traces to sample, of those that begin here, 0 to 1 (AISLE_TRACE_RATIO, else 1)",
    )
    .option("--private-feeds", "also read feeds from private addresses (AISLE_PRIVATE_FEEDS)")
    .option("--private-hooks", "also send to hooks at private addresses (AISLE_PRIVATE_HOOKS)")
    .option("--demo", "create the app demo with a catalogue and visits, and train it (AISLE_DEMO)")
    .option("--force", "open an embedded store even after three processes crashed with it open")
    .addHelpText(
      "after",
      `
A flag overrides its environment variable. A configuration error prints one line and exits with 2.

Example:
  $ aisle serve --store embedded:/var/lib/aisle --host 0.0.0.0 --public-url https://aisle.shop.example`,
    )
    .action((flags: ServeFlags) => deps.serve(flags));
}
