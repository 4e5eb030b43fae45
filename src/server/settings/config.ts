/**
 * The configuration, read once from flags and environment. A flag overrides its variable; an empty value counts as
 * absent. An invalid value becomes a `ConfigError` of one line with the flag, the variable and the accepted values.
 */

import { readFileSync } from "node:fs";
import { type EmbedderLocation, readEmbedderLocation, UnusableEmbedder } from "./embedder-location.js";
import { readSecretKeys, type SecretKeys } from "./secret-keys.js";
import { ConfigError } from "./setting.js";
import {
  type CertificateFiles,
  type ConnectionsPerAddress,
  isLoopback,
  readAddress,
  readConnections,
  readHost,
  readInterval,
  readLinks,
  readMib,
  readNames,
  readNetworks,
  readOrigins,
  readPort,
  readShare,
  readSwitch,
  readTls,
  readWhole,
  readWord,
} from "./setting-values.js";
import { type ConfigFlags, SETTINGS } from "./settings.js";
import { readStoreLocation, type StoreLocation } from "./store-location.js";

export { ConfigError } from "./setting.js";
export { type ConfigFlags, SETTINGS } from "./settings.js";

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** The role of a process: everything, REST only, RPC only, or scheduled training only. */
export const ROLES = ["all", "facade", "services", "trainer"] as const;

/** Who can open the console: callers on this machine, everyone who reaches the RPC port, or no one. */
export const CONSOLE_VIEWERS = ["loopback", "any", "off"] as const;

/** When events add products to the catalogue: until the shop has products by feed or RPC, always, or never. */
export const LEARN_PRODUCTS = ["auto", "on", "off"] as const;

export type ConsoleViewers = (typeof CONSOLE_VIEWERS)[number];

export type Role = (typeof ROLES)[number];

/** A collector's base address without a trailing slash, and its share of the traces that start here, 0 to 1. */
export interface OtlpConfig {
  readonly endpoint: string;
  readonly ratio: number;
}

export type { CertificateFiles, ConnectionsPerAddress } from "./setting-values.js";

/** Paths of PEM files: the trusted authorities (and no others), the client certificate and its key. */
export interface PeerFiles {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Address of a listener. Port 0 takes any free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export interface Config {
  readonly store: StoreLocation;
  readonly facade: ListenAddress;
  readonly rpc: ListenAddress;
  /** Public http(s) address without a trailing slash. Null: made from the facade's listener. */
  readonly publicUrl: string | null;
  /** When apps are trained: as their data grows, or every so many ms if anything changed; 0: only on request. */
  readonly trainEvery: "auto" | number;
  readonly demo: boolean;
  readonly logLevel: LogLevel;
  /** Lifetime of the subscription cookies. 0 turns them off. */
  readonly cacheSeconds: number;
  /** Time that a caller waits for a MongoDB store. */
  readonly answerMs: number;
  readonly role: Role;
  /** Address of the services for the facade, without a trailing slash. Null for every other role. */
  readonly rpcUrl: string | null;
  /** Host names of the RPC port, besides its own address and loopback names. */
  readonly rpcNames: readonly string[];
  /** Origins of pages that may call RPCs, besides the RPC port's own. */
  readonly rpcOrigins: readonly string[];
  /** The file of RPC tokens; null: no token is needed. */
  readonly rpcTokens: string | null;
  /** `stderr`, `stdout` or the path of a file. */
  readonly auditLog: string;
  readonly console: ConsoleViewers;
  /** Token of a facade for services in another process; null: none. */
  readonly token: string | null;
  readonly secretKeys: SecretKeys;
  readonly embedder: EmbedderLocation;
  /** Whether trainings learn the order of proposals, which takes most of their time. */
  readonly learnedOrder: boolean;
  /** Certificate files of the facade. Null: plain http. */
  readonly tls: CertificateFiles | null;
  /** Certificate files of the RPC port. Null: no TLS. */
  readonly rpcTls: CertificateFiles | null;
  /** Authorities and client certificate of a facade for services in another process, PEM files. */
  readonly peer: PeerFiles;
  /** Whether hook messages may go to loopback and private addresses. */
  readonly privateHooks: boolean;
  /** Whether feeds may come from loopback and private addresses. */
  readonly privateFeeds: boolean;
  /** Milliseconds from the stop signal to the closing of the ports. Meanwhile the server serves, but is not ready. */
  readonly preStopMs: number;
  /** Minimum free bytes on the disk of an embedded store; with fewer it takes no writes. */
  readonly minFreeBytes: number;
  /** Estimated bytes of catalogues and models in the memory of a process. Infinity: no limit. */
  readonly memoryBytes: number;
  /** Addresses and prefixes of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Addresses and prefixes of the shop's own servers, whose events count as the shop's own. */
  readonly shopNetworks: readonly string[];
  /** Whether events add products to the catalogue. */
  readonly learnProducts: (typeof LEARN_PRODUCTS)[number];
  /** Maximum addresses that public senders may link to a visitor, and from a network, in a day. Infinity: no limit. */
  readonly linksPerVisitor: number;
  readonly linksPerNetwork: number;
  readonly linksPerApp: number;
  /** Maximum connections of one address to each port, trusted proxies excepted. */
  readonly connectionsPerAddress: ConnectionsPerAddress;
  /** Collector of traces. Null: no traces. */
  readonly otlp: OtlpConfig | null;
}

const DEFAULTS = {
  store: "embedded:./aisle-data",
  facadePort: "8080",
  rpcPort: "8081",
  host: "127.0.0.1",
  rpcHost: "127.0.0.1",
  trainEvery: "auto",
  logLevel: "info",
  cacheSeconds: "1800",
  answerMs: "750",
  role: "all",
  auditLog: "stderr",
  console: "loopback",
  embedder: "builtin",
  preStop: "0",
  minFreeMib: "256",
  memoryMib: "off",
  learnProducts: "auto",
  linksPerVisitor: "3",
  linksPerNetwork: "20",
  linksPerApp: "1000",
  connectionsPerAddress: "share",
  traceRatio: "1",
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ConfigError for the first invalid setting. */
export function readConfig(flags: ConfigFlags, env: Environment): Config {
  const text = (name: keyof typeof DEFAULTS) => given(flags[name], env, name) ?? DEFAULTS[name];
  const whole = (name: keyof typeof DEFAULTS, least: number, most: number, accepted: string) =>
    readWhole(SETTINGS[name], text(name), least, most, accepted);
  const networks = (name: "trustedProxies" | "shopNetworks") => {
    const said = given(flags[name], env, name);
    return said === undefined ? [] : readNetworks(SETTINGS[name], said);
  };
  type Switch = "demo" | "insecureRpc" | "learnedOrder" | "privateHooks" | "privateFeeds";
  const isOn = (name: Switch, whenAbsent: boolean) =>
    readSwitch(SETTINGS[name], flags[name], env[SETTINGS[name].variable], whenAbsent);
  const facade = {
    host: readHost(SETTINGS.host, text("host")),
    port: readPort(SETTINGS.facadePort, text("facadePort")),
  };
  const rpc = { host: readHost(SETTINGS.rpcHost, text("rpcHost")), port: readPort(SETTINGS.rpcPort, text("rpcPort")) };
  const file = (name: "rpcTlsCert" | "rpcTlsKey" | "rpcClientCa" | "ca" | "clientCert" | "clientKey") =>
    given(flags[name], env, name);
  const rpcTls = readRpcTls(file("rpcTlsCert"), file("rpcTlsKey"), file("rpcClientCa"));
  const rpcTokens = given(flags.rpcTokens, env, "rpcTokens");
  const isGuarded = rpcTokens !== undefined || rpcTls?.clientCa !== undefined;
  if (!isLoopback(rpc.host) && !isGuarded && !isOn("insecureRpc", false)) {
    throw new ConfigError(
      SETTINGS.rpcHost,
      `RPC callers need no token without ${SETTINGS.rpcTokens.flag}: then only a loopback address is accepted unless --insecure-rpc is given`,
    );
  }
  if (facade.port !== 0 && facade.port === rpc.port) {
    throw new ConfigError(SETTINGS.rpcPort, `must differ from ${SETTINGS.facadePort.flag}`);
  }
  const role = readWord(SETTINGS.role, text("role"), ROLES);
  const demo = isOn("demo", false);
  if (demo && role !== "all") throw new ConfigError(SETTINGS.demo, `is for ${SETTINGS.role.flag} all only`);
  const store = readStoreLocation(text("store"), SETTINGS.store);
  if (role === "trainer" && store.kind === "embedded")
    throw new ConfigError(
      SETTINGS.role,
      "trainer is for MongoDB: an embedded store belongs to the process that serves",
    );
  const publicUrl = given(flags.publicUrl, env, "publicUrl");
  const rpcNames = given(flags.rpcNames, env, "rpcNames");
  const rpcOrigins = given(flags.rpcOrigins, env, "rpcOrigins");
  return {
    store,
    facade,
    rpc,
    publicUrl:
      publicUrl === undefined ? null : readAddress(SETTINGS.publicUrl, publicUrl, "https://aisle.shop.example"),
    trainEvery: readTrainEvery(text("trainEvery")),
    demo,
    logLevel: readWord(SETTINGS.logLevel, text("logLevel"), LOG_LEVELS),
    cacheSeconds: whole("cacheSeconds", 0, 31_536_000, "whole seconds from 0 to 31536000 (a year) are"),
    answerMs: whole("answerMs", 50, 99_999, "milliseconds from 50 to 99999 are"),
    role,
    rpcUrl: readRpcUrl(given(flags.rpcUrl, env, "rpcUrl"), role),
    rpcNames: rpcNames === undefined ? [] : readNames(SETTINGS.rpcNames, rpcNames),
    rpcOrigins: rpcOrigins === undefined ? [] : readOrigins(SETTINGS.rpcOrigins, rpcOrigins),
    rpcTokens: rpcTokens ?? null,
    auditLog: text("auditLog"),
    console: readWord(SETTINGS.console, text("console"), CONSOLE_VIEWERS),
    token: env.AISLE_TOKEN?.trim() || null,
    secretKeys: readSecretKeys(env),
    embedder: readEmbedder(text("embedder"), env),
    learnedOrder: isOn("learnedOrder", true),
    privateHooks: isOn("privateHooks", false),
    privateFeeds: isOn("privateFeeds", false),
    tls: readTls(SETTINGS, given(flags.tlsCert, env, "tlsCert"), given(flags.tlsKey, env, "tlsKey")),
    rpcTls,
    peer: readPeer(file("ca"), file("clientCert"), file("clientKey")),
    preStopMs: readInterval(SETTINGS.preStop, text("preStop")),
    minFreeBytes: whole("minFreeMib", 1, 9_999_999, "whole MiB from 1 to 9999999 are") * 2 ** 20,
    memoryBytes: readMib(SETTINGS.memoryMib, text("memoryMib")),
    trustedProxies: networks("trustedProxies"),
    shopNetworks: networks("shopNetworks"),
    learnProducts: readWord(SETTINGS.learnProducts, text("learnProducts"), LEARN_PRODUCTS),
    linksPerVisitor: readLinks(SETTINGS.linksPerVisitor, text("linksPerVisitor")),
    linksPerNetwork: readLinks(SETTINGS.linksPerNetwork, text("linksPerNetwork")),
    linksPerApp: readLinks(SETTINGS.linksPerApp, text("linksPerApp"), 1_000_000),
    connectionsPerAddress: readConnections(SETTINGS.connectionsPerAddress, text("connectionsPerAddress")),
    otlp: readOtlp(given(flags.otlpEndpoint, env, "otlpEndpoint"), text("traceRatio")),
  };
}

function readTrainEvery(text: string): Config["trainEvery"] {
  return text.toLowerCase() === "auto" ? "auto" : readInterval(SETTINGS.trainEvery, text, "auto or off");
}

function readRpcTls(cert?: string, key?: string, clientCa?: string): CertificateFiles | null {
  const files = readTls({ tlsCert: SETTINGS.rpcTlsCert, tlsKey: SETTINGS.rpcTlsKey }, cert, key);
  if (clientCa === undefined) return files;
  if (files === null) throw new ConfigError(SETTINGS.rpcTlsCert, `is required with ${SETTINGS.rpcClientCa.flag}`);
  return { ...files, clientCa };
}

function readPeer(ca?: string, cert?: string, key?: string): PeerFiles {
  const shown = readTls({ tlsCert: SETTINGS.clientCert, tlsKey: SETTINGS.clientKey }, cert, key);
  return { ...(ca === undefined ? {} : { ca }), ...shown };
}

function readOtlp(endpoint: string | undefined, share: string): OtlpConfig | null {
  const ratio = readShare(SETTINGS.traceRatio, share);
  if (endpoint === undefined) return null;
  return { endpoint: readAddress(SETTINGS.otlpEndpoint, endpoint, "http://127.0.0.1:4318"), ratio };
}

function given(flag: string | undefined, env: Environment, name: keyof ConfigFlags): string | undefined {
  return flag?.trim() || env[SETTINGS[name].variable]?.trim() || undefined;
}

function readRpcUrl(text: string | undefined, role: Role): string | null {
  if (role === "facade") {
    if (text !== undefined) return readAddress(SETTINGS.rpcUrl, text, "http://10.0.0.5:8081");
    throw new ConfigError(SETTINGS.rpcUrl, `is required with ${SETTINGS.role.flag} facade: where the services answer`);
  }
  if (text === undefined) return null;
  throw new ConfigError(SETTINGS.rpcUrl, `is for ${SETTINGS.role.flag} facade only`);
}

/**
 * The key of an embedding service comes from its own variable or a file, never from a flag, which every process can
 * see.
 */
function readEmbedder(text: string, env: Environment): EmbedderLocation {
  const file = env.AISLE_EMBEDDER_KEY_FILE?.trim();
  try {
    const key = env.AISLE_EMBEDDER_KEY?.trim() || undefined;
    return readEmbedderLocation(text, { key, readKeyFile: file ? () => readFileSync(file, "utf8") : undefined });
  } catch (error) {
    const isKnown = error instanceof UnusableEmbedder;
    throw new ConfigError(SETTINGS.embedder, isKnown ? error.message : "AISLE_EMBEDDER_KEY_FILE cannot be read");
  }
}
