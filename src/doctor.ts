import { fork } from "node:child_process";
import { createServer } from "node:net";
import type { StoreReport } from "./adapters/embedded/verify.js";
import type { Doctor, Verification } from "./cli/doctor-command.js";
import { type ListenAddress, readConfig, SETTINGS } from "./config.js";
import type { Finding } from "./domain/finding.js";
import type { StoreLocation } from "./store-location.js";

/** What the process that verifies a store says at its end. */
export type VerifyMessage = { readonly report: StoreReport } | { readonly refused: string };

const ANSWER_MS = 10_000;

/** `aisle doctor`: looks at the machine, the ports and the store that `aisle serve` would use with this environment. */
export const examine: Doctor = async function* ({ store, verify }, env) {
  const config = readConfig({ store }, env);
  yield { finding: nodeVersion() };
  for (const { name, load } of NATIVE) yield { finding: await native(name, load) };
  if (config.role !== "trainer") yield { finding: await port(SETTINGS.facadePort.flag, config.facade) };
  yield { finding: await port(SETTINGS.rpcPort.flag, config.rpc) };
  const findings = await examineStore(config.store);
  for (const finding of findings) yield { finding };
  if (!verify) return;
  const verification = await verifyStore(config.store);
  yield { finding: verdict(verification), verification };
};

function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isNew = major > 20 || (major === 20 && minor >= 19);
  const text = `${process.versions.node} on ${process.platform} ${process.arch}${isNew ? "" : "; 20.19 or newer is needed"}`;
  return { about: "node", state: isNew ? "ok" : "problem", text };
}

/** The packages with machine code, each through the module that needs it. */
const NATIVE: readonly { readonly name: string; readonly load: () => Promise<unknown> }[] = [
  { name: "lmdb", load: () => import("./adapters/embedded/environment.js") },
  { name: "@node-rs/crc32", load: () => import("./adapters/embedded/codec.js") },
  { name: "hnswlib-node", load: () => import("./adapters/hnsw/vector-indexes.js") },
];

async function native(name: string, load: () => Promise<unknown>): Promise<Finding> {
  try {
    await load();
    return { about: "native", state: "ok", text: `${name} loads` };
  } catch (error) {
    const why = error instanceof Error ? error.message.split("\n", 1)[0] : "no reason given";
    return { about: "native", state: "problem", text: `${name} does not load: ${why}` };
  }
}

async function port(flag: string, { host, port: number }: ListenAddress): Promise<Finding> {
  const where = `${flag} ${number} on ${host}`;
  if (number === 0) return { about: "port", state: "ok", text: `${where}: any free one` };
  const code = await listenFault(host, number);
  if (code === undefined) return { about: "port", state: "ok", text: `${where}: free` };
  if (code !== "EADDRINUSE") return { about: "port", state: "problem", text: `${where}: cannot be opened (${code})` };
  if (await isAisle(host, number)) return { about: "port", state: "note", text: `${where}: an Aisle server has it` };
  return { about: "port", state: "problem", text: `${where}: another program has it` };
}

function listenFault(host: string, number: number): Promise<string | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", (error) => resolve("code" in error ? String(error.code) : "no reason given"));
    server.listen({ host, port: number, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Who has the port answers as our servers do. */
async function isAisle(host: string, number: number): Promise<boolean> {
  const reached = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : host.includes(":") ? `[${host}]` : host;
  try {
    const answer = await fetch(`http://${reached}:${number}/healthz`, { signal: AbortSignal.timeout(2000) });
    return answer.ok && (await answer.text()) === '{"status":"ok"}';
  } catch {
    return false;
  }
}

async function examineStore(location: StoreLocation): Promise<Finding[]> {
  try {
    if (location.kind === "mongo") {
      const { examineMongo } = await import("./adapters/mongo/examine.js");
      return await examineMongo(location.url, ANSWER_MS, Date.now);
    }
    const { examineEmbedded } = await import("./adapters/embedded/examine.js");
    return await examineEmbedded(location.directory, Date.now);
  } catch {
    return [{ about: "store", state: "problem", text: "what reads it does not load" }];
  }
}

/** Reads everything. An embedded store is read by a process of its own, since LMDB may end it on a damaged tree. */
async function verifyStore(location: StoreLocation): Promise<Verification> {
  if (location.kind === "embedded") {
    return verifyInProcess(new URL("./verify-process.js", import.meta.url), location.directory);
  }
  try {
    const { verifyMongo } = await import("./adapters/mongo/verify.js");
    return { ...(await verifyMongo(location.url, ANSWER_MS)), failure: "" };
  } catch (error) {
    return { entries: {}, faultCount: 0, faults: [], failure: error instanceof Error ? error.message : "it failed" };
  }
}

/** Runs the module at `entry`; its end by a signal is a finding. */
export function verifyInProcess(entry: URL, directory: string): Promise<Verification> {
  const failed = (failure: string): Verification => ({ entries: {}, faultCount: 0, faults: [], failure });
  const child = fork(entry, [directory], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
  return new Promise((resolve) => {
    let said: VerifyMessage | undefined;
    child.on("message", (message: VerifyMessage) => {
      said = message;
    });
    child.once("error", () => resolve(failed("the process that reads it could not be started")));
    child.once("exit", (code, signal) => {
      if (signal !== null) resolve(failed(`reading ended with ${signal}: the tree of the file is damaged`));
      else if (said === undefined) resolve(failed(`the process that reads it ended with exit code ${code}`));
      else if ("refused" in said) resolve(failed(said.refused));
      else resolve({ ...said.report, failure: "" });
    });
  });
}

const CURE = "stop its servers and restore a backup";

function verdict({ entries, faultCount, faults, failure }: Verification): Finding {
  if (failure !== "") return { about: "verify", state: "problem", text: `${failure}; ${CURE}` };
  const records = Object.values(entries).reduce((sum, count) => sum + count, 0);
  if (faultCount === 0) return { about: "verify", state: "ok", text: `${records} records read, all sound` };
  const tables = [...new Set(faults.map(({ table }) => table))].join(", ");
  const text = `${records} records read, ${faultCount} faults in ${tables}; ${CURE}`;
  return { about: "verify", state: "problem", text };
}
