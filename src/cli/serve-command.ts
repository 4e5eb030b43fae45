import type { Command } from "commander";
import type { ProgramDeps } from "./program.js";

/** The flags of `serve` as given; text is checked by whoever reads the configuration. */
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
  readonly workers?: string;
  readonly rpcUrl?: string;
  readonly rpcNames?: string;
  readonly rpcTokens?: string;
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
  readonly trustedProxies?: string;
  readonly shopNetworks?: string;
  readonly linksPerVisitor?: string;
  readonly linksPerNetwork?: string;
  readonly connectionsPerAddress?: string;
  readonly otlpEndpoint?: string;
  readonly traceRatio?: string;
}

export function addServeCommand(program: Command, deps: ProgramDeps): void {
  program
    .command("serve")
    .description("run a server until SIGTERM or Ctrl-C")
    .option(
      "--store <store>",
      "where data lives: embedded:DIR or mongodb://… (AISLE_STORE, else embedded:./aisle-data)",
    )
    .option("--facade-port <port>", "port of the shop's REST interface, 0 for any (AISLE_FACADE_PORT, else 8080)")
    .option("--rpc-port <port>", "port of gRPC, gRPC-Web and Connect, 0 for any (AISLE_RPC_PORT, else 8081)")
    .option("--host <host>", "address the REST interface listens on (AISLE_HOST, else 127.0.0.1)")
    .option("--rpc-host <host>", "address the RPC port listens on (AISLE_RPC_HOST, else 127.0.0.1)")
    .option("--rpc-tokens <file>", "tokens that RPC callers need; see aisle token (AISLE_RPC_TOKENS)")
    .option(
      "--console <whom>",
      "who sees the console at /console/: loopback, any or off (AISLE_CONSOLE, else loopback)",
    )
    .option("--insecure-rpc", "let callers from other machines use the RPC port without a token (AISLE_INSECURE_RPC)")
    .option("--public-url <url>", "address under which storefronts reach this server (AISLE_PUBLIC_URL)")
    .option(
      "--train-every <time>",
      "how often changed apps are trained: 30s, 10m, 1h, off (AISLE_TRAIN_EVERY, else 1h)",
    )
    .option("--cache-seconds <n>", "how long the subscription cookies live (AISLE_CACHE_SECONDS, else 1800)")
    .option("--answer-ms <ms>", "how long callers wait for a MongoDB store (AISLE_ANSWER_MS, else 750)")
    .option(
      "--min-free-mib <n>",
      "with less left on its disk an embedded store is not written (AISLE_MIN_FREE_MIB, else 256)",
    )
    .option("--log-level <level>", "trace, debug, info, warn, error, fatal or silent (AISLE_LOG_LEVEL, else info)")
    .option("--role <role>", "all, facade, services or trainer (AISLE_ROLE, else all)")
    .option("--rpc-url <url>", "where the services answer, for --role facade (AISLE_RPC_URL)")
    .option("--rpc-names <names>", "host names callers use for the RPC port, with commas between (AISLE_RPC_NAMES)")
    .option(
      "--embedder <model>",
      "builtin, onnx:PATH or https://…/embeddings?model=NAME (AISLE_EMBEDDER, else builtin)",
    )
    .option("--learned-order", "learn the order of what is recommended (AISLE_LEARNED_ORDER, else on)")
    .option("--no-learned-order", "show products in the order of their algorithms' scores: shorter trainings")
    .option("--tls-cert <file>", "certificate of the REST interface in PEM; it then speaks https (AISLE_TLS_CERT)")
    .option("--tls-key <file>", "private key of that certificate in PEM (AISLE_TLS_KEY)")
    .option("--rpc-tls-cert <file>", "certificate of the RPC port in PEM; it then speaks TLS (AISLE_RPC_TLS_CERT)")
    .option("--rpc-tls-key <file>", "private key of that certificate in PEM (AISLE_RPC_TLS_KEY)")
    .option("--rpc-client-ca <file>", "who signs the certificates RPC callers then need, PEM (AISLE_RPC_CLIENT_CA)")
    .option("--ca <file>", "who signs the certificate at --rpc-url, in PEM (AISLE_CA, else those Node knows)")
    .option("--client-cert <file>", "certificate to show at --rpc-url, in PEM (AISLE_CLIENT_CERT)")
    .option("--client-key <file>", "private key of that certificate in PEM (AISLE_CLIENT_KEY)")
    .option(
      "--pre-stop <time>",
      "how long it goes on serving after SIGTERM, not ready any more (AISLE_PRE_STOP, else off)",
    )
    .option("--trusted-proxies <networks>", "proxies whose X-Forwarded-For is believed (AISLE_TRUSTED_PROXIES)")
    .option("--shop-networks <networks>", "the shop's own servers, whose events are its word (AISLE_SHOP_NETWORKS)")
    .option(
      "--links-per-visitor <n>",
      "e-mail addresses and phones anybody may link to a visitor in a day (AISLE_LINKS_PER_VISITOR, else 3)",
    )
    .option(
      "--links-per-network <n>",
      "the same from one network, IPv4 /24 or IPv6 /56 (AISLE_LINKS_PER_NETWORK, else 20)",
    )
    .option(
      "--connections-per-address <n>",
      "connections of a port one address may hold, a number, share or off (AISLE_CONNECTIONS_PER_ADDRESS, else share)",
    )
    .option(
      "--otlp-endpoint <url>",
      "collector that gets traces by OTLP over HTTP, without /v1/traces (AISLE_OTLP_ENDPOINT, else none are made)",
    )
    .option(
      "--trace-ratio <share>",
      "share of the traces beginning here that are made, 0 to 1 (AISLE_TRACE_RATIO, else 1)",
    )
    .option("--private-feeds", "read feeds from private addresses, too (AISLE_PRIVATE_FEEDS)")
    .option("--private-hooks", "send messages to hooks at private addresses, too (AISLE_PRIVATE_HOOKS)")
    .option("--workers <n>", "processes that share the ports and the store (AISLE_WORKERS, else 1)")
    .option("--demo", "make the app demo with a catalogue and visits, and train it (AISLE_DEMO)")
    .addHelpText(
      "after",
      `
A flag wins over its environment variable. Bad configuration is one line and exit code 2.

Example:
  $ aisle serve --store embedded:/var/lib/aisle --host 0.0.0.0 --public-url https://aisle.shop.example`,
    )
    .action((flags: ServeFlags) => deps.serve(flags));
}
