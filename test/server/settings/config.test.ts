import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readStoreLocation } from "../../../src/server/open-store.js";
import { ConfigError, type ConfigFlags, readConfig } from "../../../src/server/settings/config.js";

describe("readConfig", () => {
  it("serves an embedded store on the loopback ports 8080 and 8081 by default", () => {
    expect(readConfig({}, {})).toEqual({
      store: { kind: "embedded", directory: "./aisle-data" },
      facade: { host: "127.0.0.1", port: 8080 },
      rpc: { host: "127.0.0.1", port: 8081 },
      publicUrl: null,
      trainEvery: "auto",
      demo: false,
      logLevel: "info",
      cacheSeconds: 1800,
      answerMs: 750,
      minFreeBytes: 268_435_456,
      memoryBytes: Number.POSITIVE_INFINITY,
      role: "all",
      rpcUrl: null,
      rpcNames: [],
      rpcOrigins: [],
      rpcTokens: null,
      rpcTls: null,
      peer: {},
      auditLog: "stderr",
      console: "loopback",
      token: null,
      secretKeys: { current: undefined, previous: undefined },
      embedder: { kind: "builtin" },
      learnedOrder: true,
      privateHooks: false,
      privateFeeds: false,
      tls: null,
      preStopMs: 0,
      trustedProxies: [],
      shopNetworks: [],
      learnProducts: "auto",
      linksPerVisitor: 3,
      linksPerNetwork: 20,
      linksPerApp: 1000,
      connectionsPerAddress: "share",
      otlp: null,
    });
  });

  it("reads every setting from the environment", () => {
    const env = {
      AISLE_STORE: "embedded:/var/lib/aisle",
      AISLE_FACADE_PORT: "80",
      AISLE_RPC_PORT: "0",
      AISLE_HOST: "0.0.0.0",
      AISLE_RPC_HOST: "10.0.0.5",
      AISLE_RPC_TOKENS: "tokens.txt",
      AISLE_RPC_TLS_CERT: "rpc.pem",
      AISLE_RPC_TLS_KEY: "rpc.key",
      AISLE_RPC_CLIENT_CA: "callers.pem",
      AISLE_CA: "ca.pem",
      AISLE_CLIENT_CERT: "own.pem",
      AISLE_CLIENT_KEY: "own.key",
      AISLE_AUDIT_LOG: "/var/log/aisle/audit",
      AISLE_CONSOLE: "Any",
      AISLE_TOKEN: " secret ",
      AISLE_PUBLIC_URL: "https://aisle.shop.example/x/",
      AISLE_TRAIN_EVERY: "10m",
      AISLE_DEMO: "1",
      AISLE_LOG_LEVEL: "warn",
      AISLE_CACHE_SECONDS: "60",
      AISLE_ANSWER_MS: "2000",
      AISLE_ROLE: "all",
      AISLE_WORKERS: "4",
      AISLE_LEARNED_ORDER: "off",
      AISLE_PRIVATE_HOOKS: "on",
      AISLE_PRIVATE_FEEDS: "on",
      AISLE_TLS_CERT: "site.pem",
      AISLE_TLS_KEY: "site.key",
      AISLE_PRE_STOP: "5s",
      AISLE_TRUSTED_PROXIES: "10.0.0.0/8, ::1",
      AISLE_SHOP_NETWORKS: "203.0.113.7",
      AISLE_LEARN_PRODUCTS: "off",
      AISLE_LINKS_PER_VISITOR: "off",
      AISLE_LINKS_PER_NETWORK: "50",
      AISLE_CONNECTIONS_PER_ADDRESS: "200",
      AISLE_OTLP_ENDPOINT: "http://10.0.0.9:4318/",
      AISLE_TRACE_RATIO: ".05",
      AISLE_MIN_FREE_MIB: "64",
      AISLE_MEMORY_MIB: "2048",
    };
    expect(readConfig({}, env)).toEqual({
      store: { kind: "embedded", directory: "/var/lib/aisle" },
      facade: { host: "0.0.0.0", port: 80 },
      rpc: { host: "10.0.0.5", port: 0 },
      publicUrl: "https://aisle.shop.example/x",
      trainEvery: 600_000,
      demo: true,
      logLevel: "warn",
      cacheSeconds: 60,
      answerMs: 2000,
      minFreeBytes: 67_108_864,
      memoryBytes: 2 ** 31,
      role: "all",
      rpcUrl: null,
      rpcNames: [],
      rpcOrigins: [],
      rpcTokens: "tokens.txt",
      rpcTls: { cert: "rpc.pem", key: "rpc.key", clientCa: "callers.pem" },
      peer: { ca: "ca.pem", cert: "own.pem", key: "own.key" },
      auditLog: "/var/log/aisle/audit",
      console: "any",
      token: "secret",
      secretKeys: { current: undefined, previous: undefined },
      embedder: { kind: "builtin" },
      learnedOrder: false,
      privateHooks: true,
      privateFeeds: true,
      tls: { cert: "site.pem", key: "site.key" },
      preStopMs: 5000,
      trustedProxies: ["10.0.0.0/8", "::1"],
      shopNetworks: ["203.0.113.7"],
      learnProducts: "off",
      linksPerVisitor: Number.POSITIVE_INFINITY,
      linksPerNetwork: 50,
      linksPerApp: 1000,
      connectionsPerAddress: 200,
      otlp: { endpoint: "http://10.0.0.9:4318", ratio: 0.05 },
    });
  });

  it.each([
    ["builtin", { kind: "builtin" }],
    ["visits", { kind: "visits" }],
    ["onnx:models/mini", { kind: "onnx", path: "models/mini" }],
    [
      "https://api.example.com/v1/embeddings?model=small&dimensions=256",
      { kind: "http", url: "https://api.example.com/v1/embeddings", model: "small", dimensions: 256, key: null },
    ],
  ])("accepts %s as an embedder", (embedder, location) => {
    expect(readConfig({ embedder }, {}).embedder).toEqual(location);
    expect(readConfig({}, { AISLE_EMBEDDER: embedder }).embedder).toEqual(location);
  });

  it.each([
    "onnx:",
    "mini",
    "ftp://api.example.com/?model=a",
    "https://api.example.com/v1/embeddings",
    "https://name:sesame@api.example.com/?model=a",
    "https://api.example.com/?model=a&dimensions=0",
  ])("rejects %s as an embedder, without showing it", (embedder) => {
    const read = () => readConfig({ embedder }, {});
    expect(read).toThrow(/^--embedder \(AISLE_EMBEDDER\): /);
    if (embedder.includes("://")) expect(read).not.toThrow(/api\.example\.com\/\?|sesame/);
  });

  it("reads the key of an embedding service from its variable, else from a file", () => {
    const embedder = "https://api.example.com/v1/embeddings?model=small";
    const folder = mkdtempSync(join(tmpdir(), "aisle-config-"));
    const file = join(folder, "key");
    writeFileSync(file, "from-file\n");
    const keyOf = (env: Record<string, string>) => {
      const { embedder: location } = readConfig({ embedder }, env);
      return location.kind === "http" ? location.key : undefined;
    };
    expect(keyOf({ AISLE_EMBEDDER_KEY: "from-env", AISLE_EMBEDDER_KEY_FILE: file })).toBe("from-env");
    expect(keyOf({ AISLE_EMBEDDER_KEY_FILE: file })).toBe("from-file");
    expect(() => keyOf({ AISLE_EMBEDDER_KEY_FILE: join(folder, "missing") })).toThrow(
      /AISLE_EMBEDDER_KEY_FILE cannot be read/,
    );
    rmSync(folder, { recursive: true });
  });

  it("sends a key without https to this machine only, and shows none", () => {
    const env = { AISLE_EMBEDDER_KEY: "se-cret" };
    const read = (host: string) => readConfig({ embedder: `http://${host}/v1/embeddings?model=a` }, env);
    for (const host of ["127.0.0.1:11434", "localhost", "[::1]:8000"]) expect(read(host).embedder.kind).toBe("http");
    expect(() => read("10.0.0.7")).toThrow(/https only/);
    const embedder = "https://api.example.com/?model=a";
    expect(() => readConfig({ embedder }, { AISLE_EMBEDDER_KEY: "two words" })).not.toThrow(/two words/);
    expect(() => readConfig({ embedder }, { AISLE_EMBEDDER_KEY: "two words" })).toThrow(/printable/);
  });

  it("prefers a flag to its variable", () => {
    expect(readConfig({ facadePort: "9000" }, { AISLE_FACADE_PORT: "80" }).facade.port).toBe(9000);
    expect(readConfig({ demo: false }, { AISLE_DEMO: "1" }).demo).toBe(false);
    expect(readConfig({ learnedOrder: false }, { AISLE_LEARNED_ORDER: "1" }).learnedOrder).toBe(false);
  });

  it("treats an empty variable as absent", () => {
    expect(readConfig({}, { AISLE_STORE: "", AISLE_FACADE_PORT: " " })).toEqual(readConfig({}, {}));
  });

  it.each([
    ["30s", 30_000],
    ["10m", 600_000],
    ["1h", 3_600_000],
    ["24d", 2_073_600_000],
    ["500ms", 500],
    ["0", 0],
    ["0s", 0],
    ["off", 0],
    ["OFF", 0],
    ["auto", "auto"],
    ["Auto", "auto"],
  ])("reads the training interval %s as %s", (text, ms) => {
    expect(readConfig({ trainEvery: text }, {}).trainEvery).toBe(ms);
  });

  it.each([
    "mongodb://localhost",
    "mongodb://db:27017/aisle",
    "mongodb://ann:p%40ss%2Fword@db1:27017,db2,[::1]:27019/aisle?replicaSet=r0&tls=true&w=majority",
    "mongodb+srv://ann:secret@cluster.example.net/aisle?retryWrites=true",
    "mongodb://%2Ftmp%2Fmongodb-27017.sock/aisle",
    "mongodb://ann@db/?authMechanism=MONGODB-X509",
  ])("keeps the address %s of a MongoDB store unchanged", (url) => {
    expect(readConfig({ store: url }, {}).store).toEqual({ kind: "mongo", url });
    expect(readConfig({}, { AISLE_STORE: url }).store).toEqual({ kind: "mongo", url });
  });

  it.each([
    "mongodb://",
    "mongodb:db/aisle",
    "mongodb://ann:s3cret@",
    "mongodb://ann:s3cret@/aisle",
    "mongodb://ann:s3@cret@db/aisle",
    "mongodb://ann:s3/cret@db/aisle",
    "mongodb://ann:s3?cret@db/aisle",
    "mongodb://ann:12?34@db/aisle",
    "mongodb://ann:s3:cret@db/aisle",
    "mongodb://ann:s3 cret@db/aisle",
    "mongodb://ann:s3#cret@db/aisle",
    "mongodb://ann:s3cret@db:port/aisle",
    "mongodb://ann:s3cret@db,,db2/aisle",
    "mongodb://ann:s3cret@db/aisle?journal=false",
    "mongodb://ann:s3cret@db/ai/sle",
  ])("rejects the address %s in a line that shows nothing of it", (url) => {
    expect(() => readConfig({ store: url }, {})).toThrow(/^--store \(AISLE_STORE\): (?!.*(ann|s3|cret|12|34)).*$/);
  });

  it("names the setting that an address came from", () => {
    expect(() => readStoreLocation("./data", { flag: "--from" })).toThrow(/^--from: embedded:DIR/);
  });

  it.each<[string, ConfigFlags]>([
    ["--store (AISLE_STORE): embedded:DIR or mongodb://HOST/DATABASE is accepted", { store: "embedded:" }],
    ["--store (AISLE_STORE): embedded:DIR or mongodb://HOST/DATABASE is accepted", { store: "./data" }],
    ["--store (AISLE_STORE): journal=false is not accepted", { store: "mongodb://db/x?w=1&journal=false" }],
    ["--facade-port (AISLE_FACADE_PORT): a port from 0 to 65535", { facadePort: "65536" }],
    ["--facade-port (AISLE_FACADE_PORT): a port from 0 to 65535", { facadePort: "-1" }],
    ["--rpc-port (AISLE_RPC_PORT): a port from 0 to 65535", { rpcPort: "8081.0" }],
    ["--rpc-port (AISLE_RPC_PORT): must differ from --facade-port", { facadePort: "9", rpcPort: "9" }],
    ["--host (AISLE_HOST): an IP address or a host name", { host: "127.0.0.1:80" }],
    ["--host (AISLE_HOST): an IP address or a host name", { host: "http://x" }],
    ["--rpc-host (AISLE_RPC_HOST): RPC callers need no token without --rpc-tokens", { rpcHost: "0.0.0.0" }],
    ["--rpc-tls-cert (AISLE_RPC_TLS_CERT): is required with --rpc-client-ca", { rpcClientCa: "ca.pem" }],
    ["--rpc-tls-key (AISLE_RPC_TLS_KEY): is required with --rpc-tls-cert", { rpcTlsCert: "rpc.pem" }],
    ["--client-key (AISLE_CLIENT_KEY): is required with --client-cert", { clientCert: "own.pem" }],
    [
      "--rpc-host (AISLE_RPC_HOST): RPC callers need no token without --rpc-tokens",
      { rpcHost: "127.0.0.1.evil.example" },
    ],
    ["--rpc-host (AISLE_RPC_HOST): RPC callers need no token without --rpc-tokens", { rpcHost: "::" }],
    ["--public-url (AISLE_PUBLIC_URL): an http or https address", { publicUrl: "aisle.example" }],
    ["--public-url (AISLE_PUBLIC_URL): an http or https address", { publicUrl: "ftp://aisle.example" }],
    ["--public-url (AISLE_PUBLIC_URL): an http or https address", { publicUrl: "https://u:p@aisle.example" }],
    ["--train-every (AISLE_TRAIN_EVERY): a time such as", { trainEvery: "1 hour" }],
    ["--train-every (AISLE_TRAIN_EVERY): a time such as", { trainEvery: "25d" }],
    ["--train-every (AISLE_TRAIN_EVERY): a time such as", { trainEvery: "90" }],
    ["--log-level (AISLE_LOG_LEVEL): one of trace, debug", { logLevel: "loud" }],
    ["--cache-seconds (AISLE_CACHE_SECONDS): whole seconds", { cacheSeconds: "1.5" }],
    ["--answer-ms (AISLE_ANSWER_MS): milliseconds from 50", { answerMs: "49" }],
    ["--answer-ms (AISLE_ANSWER_MS): milliseconds from 50", { answerMs: "1s" }],
    ["--min-free-mib (AISLE_MIN_FREE_MIB): whole MiB from 1", { minFreeMib: "0" }],
    ["--memory-mib (AISLE_MEMORY_MIB): whole MiB from 1", { memoryMib: "0" }],
    ["--role (AISLE_ROLE): one of all, facade, services, trainer", { role: "worker" }],
    ["--demo (AISLE_DEMO): is for --role all only", { role: "services", demo: true }],
    ["--rpc-url (AISLE_RPC_URL): is required with --role facade", { role: "facade" }],
    ["--rpc-url (AISLE_RPC_URL): an http or https address", { role: "facade", rpcUrl: "localhost:8081" }],
    ["--rpc-names (AISLE_RPC_NAMES): host names without a port", { rpcNames: "aisle-services:8081" }],
    ["--otlp-endpoint (AISLE_OTLP_ENDPOINT): an http or https address", { otlpEndpoint: "collector:4318" }],
    ["--trace-ratio (AISLE_TRACE_RATIO): a number from 0 to 1", { traceRatio: "1.5" }],
    ["--trace-ratio (AISLE_TRACE_RATIO): a number from 0 to 1", { traceRatio: "5%" }],
    ["--trace-ratio (AISLE_TRACE_RATIO): a number from 0 to 1", { traceRatio: "." }],
    ["--rpc-names (AISLE_RPC_NAMES): host names without a port", { rpcNames: "a,,b" }],
    ["--rpc-origins (AISLE_RPC_ORIGINS): http and https origins", { rpcOrigins: "admin.shop.example" }],
    ["--rpc-origins (AISLE_RPC_ORIGINS): http and https origins", { rpcOrigins: "https://admin.shop.example/page" }],
    ["--rpc-origins (AISLE_RPC_ORIGINS): http and https origins", { rpcOrigins: "*" }],
    ["--trusted-proxies (AISLE_TRUSTED_PROXIES): IP addresses and prefixes", { trustedProxies: "10.0.0.0/33" }],
    ["--trusted-proxies (AISLE_TRUSTED_PROXIES): IP addresses and prefixes", { trustedProxies: "proxy.example" }],
    ["--shop-networks (AISLE_SHOP_NETWORKS): IP addresses and prefixes", { shopNetworks: "10.0.0.1,,10.0.0.2" }],
    ["--links-per-visitor (AISLE_LINKS_PER_VISITOR): a number from 1 to 1000", { linksPerVisitor: "0" }],
    [
      "--connections-per-address (AISLE_CONNECTIONS_PER_ADDRESS): a number from 1 to 10000, share or off",
      { connectionsPerAddress: "0" },
    ],
    ["--links-per-network (AISLE_LINKS_PER_NETWORK): a number from 1 to 1000", { linksPerNetwork: "-1" }],
    ["--rpc-url (AISLE_RPC_URL): is for --role facade only", { rpcUrl: "http://127.0.0.1:8081" }],
  ])("rejects with %s", (start, flags) => {
    expect(() => readConfig(flags, {})).toThrow(ConfigError);
    expect(() => readConfig(flags, {})).toThrow(start);
  });

  it("admits remote RPC callers only when an insecure RPC port is confirmed", () => {
    expect(readConfig({ rpcHost: "0.0.0.0", insecureRpc: true }, {}).rpc.host).toBe("0.0.0.0");
    expect(readConfig({ rpcHost: "0.0.0.0" }, { AISLE_INSECURE_RPC: "1" }).rpc.host).toBe("0.0.0.0");
  });

  it("reads the host names of the RPC port", () => {
    const names = ["aisle-services", "aisle-services.shop.svc"];
    expect(readConfig({ rpcNames: "aisle-services, aisle-services.shop.svc" }, {}).rpcNames).toEqual(names);
    expect(readConfig({}, { AISLE_RPC_NAMES: names.join() }).rpcNames).toEqual(names);
  });

  it("takes the name of an nginx upstream as a host name of the RPC port", () => {
    expect(readConfig({ rpcNames: "aisle_rpc" }, {}).rpcNames).toEqual(["aisle_rpc"]);
  });

  it("reads the origins of pages that may call RPCs", () => {
    const origins = ["https://admin.shop.example", "http://localhost:5173"];
    expect(readConfig({ rpcOrigins: "https://Admin.shop.example, http://localhost:5173/" }, {}).rpcOrigins).toEqual(
      origins,
    );
    expect(readConfig({}, { AISLE_RPC_ORIGINS: origins.join() }).rpcOrigins).toEqual(origins);
  });

  it("reads where the facade finds its services", () => {
    const config = readConfig({ role: "Facade" }, { AISLE_RPC_URL: "http://10.0.0.5:8081/" });
    expect(config).toMatchObject({ role: "facade", rpcUrl: "http://10.0.0.5:8081" });
  });

  it("rejects a switch that is neither on nor off", () => {
    expect(() => readConfig({}, { AISLE_DEMO: "maybe" })).toThrow("--demo (AISLE_DEMO): 1 or 0 is accepted");
  });

  it("answers any text with a configuration or one line and exit code 2", () => {
    const flags = fc.record(
      {
        store: fc.string(),
        facadePort: fc.string(),
        rpcHost: fc.string(),
        host: fc.string(),
        publicUrl: fc.string(),
        trainEvery: fc.string(),
        logLevel: fc.string(),
        cacheSeconds: fc.string(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(flags, (given) => {
        try {
          const { trainEvery } = readConfig(given, {});
          expect(trainEvery === "auto" || trainEvery >= 0).toBe(true);
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error;
          expect(error.exitCode).toBe(2);
          expect(error.message).toMatch(/^--[a-z-]+ \(AISLE_[A-Z_]+\): .+$/);
        }
      }),
    );
  });
});
