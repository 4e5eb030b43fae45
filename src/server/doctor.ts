import { fork } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { get, type IncomingMessage } from "node:http";
import { get as getTls } from "node:https";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";
import type { Doctor, DoctorStep, Verification } from "../cli/doctor-command.js";
import { DomainError, Unavailable } from "../domain/errors.js";
import type { Finding } from "../domain/finding.js";
import type { RunSalvage, SalvageProgress } from "../store/lmdb/salvage.js";
import { type CertificateSettings, RPC_CERTIFICATE, readCertificate } from "./certificates.js";
import { entryOf } from "./installed.js";
import { type CertificateFiles, type ListenAddress, readConfig, SETTINGS } from "./settings/config.js";
import { ConfigError } from "./settings/setting.js";
import type { StoreLocation } from "./settings/store-location.js";
import { ownDirectory, type Reading, readDirectory } from "./store-owner.js";
import type { ReaderJob, ReaderMessage } from "./store-reader.js";

const ANSWER_MS = 10_000;

/** `aisle doctor`: checks the machine, the ports and the store that `aisle serve` would use with this environment. */
export const examine: Doctor = async function* ({ store, verify, repair, to, partPlaceholders }, env) {
  const config = readConfig({ store }, env);
  yield { finding: nodeVersion() };
  for (const { name, load } of NATIVE) yield { finding: await native(name, load) };
  yield { finding: await vectorSearch() };
  if (config.role !== "trainer") {
    if (config.tls !== null) yield { finding: certificate(config.tls, SETTINGS) };
    yield { finding: await port(SETTINGS.facadePort.flag, config.facade, config.tls !== null) };
  }
  if (config.rpcTls !== null) yield { finding: certificate(config.rpcTls, RPC_CERTIFICATE) };
  yield { finding: await port(SETTINGS.rpcPort.flag, config.rpc, config.rpcTls !== null) };
  const reading = await heldFor(config.store);
  if ("finding" in reading) {
    yield reading;
    return;
  }
  try {
    yield* examineData(config.store, { verify, repair, to, partPlaceholders }, reading);
    const isChanged = repair || partPlaceholders; // by this process
    if (!isChanged && !(await reading.isStill())) yield { finding: MOVED_ON };
  } finally {
    reading.end();
  }
};

/** Makes the server of an embedded store keep what is read; a finding when it cannot be read. */
async function heldFor(location: StoreLocation): Promise<Reading | DoctorStep> {
  if (location.kind !== "embedded") return { isStill: async () => true, end: () => undefined };
  return readDirectory(location.directory).catch((error: unknown) => ({
    finding: { about: "store", state: "problem", text: error instanceof Error ? error.message : "it is in use" },
  }));
}

const MOVED_ON: Finding = {
  about: "store",
  state: "problem",
  text: "a server of the store began or ended while it was read; run the doctor again",
};

type DataRequest = Pick<Parameters<Doctor>[0], "verify" | "repair" | "to" | "partPlaceholders">;

async function* examineData(
  store: StoreLocation,
  { verify, repair, to, partPlaceholders }: DataRequest,
  reading: Reading,
): AsyncGenerator<DoctorStep> {
  const findings = await examineStore(store);
  for (const finding of findings) yield { finding };
  if (repair && to !== undefined) yield await salvage(store, to);
  else if (repair) yield { finding: await repairStore(store) };
  const target: StoreLocation = repair && to !== undefined ? { kind: "embedded", directory: to } : store;
  if (verify) {
    const verification = await verifyStore(target);
    if (verification.failure !== "" && !(await reading.isStill())) return; // that is why
    const finding = verdict(verification);
    yield { finding, verification };
    if (finding.state === "problem") return; // records of a damaged store may say anything
  }
  if (findings.some(({ about, state }) => about === "store" && state === "problem")) return;
  const { examineVisitors, partVisitors } = await import("./doctor-people.js");
  if (partPlaceholders) yield* partVisitors(target);
  yield* examineVisitors(target, verify || partPlaceholders);
}

function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isNew = major > 20 || (major === 20 && minor >= 19);
  const text = `${process.versions.node} on ${process.platform} ${process.arch}${isNew ? "" : "; 20.19 or newer is needed"}`;
  return { about: "node", state: isNew ? "ok" : "problem", text };
}

/** The packages with native code, each loaded through the module that uses it. */
const NATIVE: readonly { readonly name: string; readonly load: () => Promise<unknown> }[] = [
  { name: "lmdb", load: () => import("../store/lmdb/environment.js") },
  { name: "@node-rs/crc32", load: () => import("../store/lmdb/codec.js") },
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

/** Which of the two finds similar texts: hnswlib-node, or a comparison with each vector where it is not installed. */
async function vectorSearch(): Promise<Finding> {
  const { hnswlib } = await import("../adapters/hnsw/hnswlib.js");
  if (hnswlib.problem === undefined) return { about: "native", state: "ok", text: "hnswlib-node loads" };
  const text = `hnswlib-node does not load (${hnswlib.problem}): similar texts are found by comparing all, some 2 ms a question from 12,000 products`;
  return { about: "native", state: "note", text };
}

/** A certificate that ends within so many days is worth a note. */
const SOON_DAYS = 14;
const DAY_MS = 86_400_000;

/** Whether the server could serve with the files of a listener, and until when. */
function certificate(files: CertificateFiles, settings: CertificateSettings): Finding {
  const about = "certificate";
  try {
    const { cert } = readCertificate(files, settings);
    const { validTo } = new X509Certificate(cert);
    const days = Math.floor((Date.parse(validTo) - Date.now()) / DAY_MS);
    const text = `${settings.tlsCert.flag}: valid until ${new Date(validTo).toISOString().slice(0, 10)}`;
    if (days < 0) return { about, state: "problem", text: `${settings.tlsCert.flag}: expired` };
    return { about, state: days < SOON_DAYS ? "note" : "ok", text };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { about, state: "problem", text: error.message };
  }
}

async function port(flag: string, { host, port: number }: ListenAddress, isTls: boolean): Promise<Finding> {
  const where = `${flag} ${number} on ${host}`;
  if (number === 0) return { about: "port", state: "ok", text: `${where}: any free one` };
  const code = await listenFault(host, number);
  if (code === undefined) return { about: "port", state: "ok", text: `${where}: free` };
  if (code !== "EADDRINUSE") return { about: "port", state: "problem", text: `${where}: cannot be opened (${code})` };
  switch (await whoListens(host, number, isTls)) {
    case "aisle":
      return { about: "port", state: "note", text: `${where}: an Aisle server has it` };
    case "asks for a certificate":
      return { about: "port", state: "note", text: `${where}: a server that asks callers for a certificate has it` };
    case "another":
      return { about: "port", state: "problem", text: `${where}: another program has it` };
  }
}

function listenFault(host: string, number: number): Promise<string | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", (error) => resolve("code" in error ? String(error.code) : "no reason given"));
    server.listen({ host, port: number, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Asks whoever holds the port for its health. Over TLS any certificate will do: nothing is told or believed. */
function whoListens(
  host: string,
  number: number,
  isTls: boolean,
): Promise<"aisle" | "asks for a certificate" | "another"> {
  const reached = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  const options = { host: reached, port: number, path: "/healthz", timeout: 2000, rejectUnauthorized: false };
  return new Promise((resolve) => {
    const take = (response: IncomingMessage) => {
      text(response).then(
        (body) => resolve(response.statusCode === 200 && body === '{"status":"ok"}' ? "aisle" : "another"),
        () => resolve("another"), // no answer: the finding says so
      );
    };
    const request = isTls ? getTls(options, take) : get(options, take);
    request.once("timeout", () => request.destroy());
    request.once("error", (error) => {
      const code = "code" in error ? String(error.code) : "";
      resolve(code === "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED" ? "asks for a certificate" : "another");
    });
  });
}

async function examineStore(location: StoreLocation): Promise<Finding[]> {
  try {
    if (location.kind === "mongo") {
      const { examineMongo } = await import("../store/mongo/doctor.js");
      return await examineMongo(location.url, ANSWER_MS, Date.now);
    }
    return await examineInProcess(location.directory);
  } catch {
    // the finding says so
    return [{ about: "store", state: "problem", text: "its native module does not load" }];
  }
}

/**
 * Verifies the whole store. A process of its own reads an embedded store, since LMDB may crash it on a damaged tree.
 */
async function verifyStore(location: StoreLocation): Promise<Verification> {
  if (location.kind === "embedded") {
    return verifyInProcess(entryOf("store-reader"), location.directory);
  }
  try {
    const { verifyMongo } = await import("../store/mongo/verify.js");
    return { ...(await verifyMongo(location.url, ANSWER_MS)), failure: "" };
  } catch (error) {
    return { entries: {}, faultCount: 0, faults: [], failure: error instanceof Error ? error.message : "it failed" };
  }
}

/** Examines a store in a process of its own. */
async function examineInProcess(directory: string): Promise<Finding[]> {
  let said: readonly Finding[] | undefined;
  const end = await readInProcess(entryOf("store-reader"), { kind: "examine", directory }, (message) => {
    if (message.kind === "findings") said = message.findings;
  });
  if (said !== undefined) return [...said];
  const text = end?.signal ? endedBy(end.signal) : "the process that reads it could not be started";
  return [{ about: "store", state: "problem", text: `embedded in ${directory}: ${text}` }];
}

const endedBy = (signal: string) => `reading ended with ${signal}: the tree of the file is damaged`;

/** Runs the module at `entry`; a crash by signal becomes a finding. */
export async function verifyInProcess(
  entry: string | URL,
  directory: string,
): Promise<Verification & { readonly wasEnded?: boolean }> {
  const failed = (failure: string): Verification => ({ entries: {}, faultCount: 0, faults: [], failure });
  let said: Verification | undefined;
  const take = (message: ReaderMessage) => {
    if (message.kind === "report") said = { ...message.report, failure: "" };
    if (message.kind === "refused") said = failed(message.text);
  };
  const end = await readInProcess(entry, { kind: "verify", directory }, take);
  if (end === undefined) return failed("the process that reads it could not be started");
  if (end.signal !== null) return { ...failed(endedBy(end.signal)), wasEnded: true };
  return said ?? failed(`the process that reads it ended with exit code ${end.code}`);
}

interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Runs a job in a process that LMDB may end; undefined when it could not be started. */
function readInProcess(
  entry: string | URL,
  job: ReaderJob,
  take: (message: ReaderMessage) => void,
): Promise<ProcessEnd | undefined> {
  const child = fork(entry, [JSON.stringify(job)], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
  return new Promise((resolve) => {
    child.on("message", take);
    child.once("error", () => resolve(undefined));
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
}

/** Reads what can be read of a damaged store in a process of its own, and answers how far each task has come. */
const salvageInProcess: RunSalvage = async (from, to, tasks) => {
  const states = new Map<number, SalvageProgress>();
  let refused: string | undefined;
  const end = await readInProcess(entryOf("store-reader"), { kind: "salvage", from, to, tasks }, (message) => {
    if (message.kind === "progress") states.set(message.progress.task, message.progress);
    if (message.kind === "refused") refused = message.text;
  });
  if (refused !== undefined) throw new Unavailable(refused);
  if (end === undefined) throw new Unavailable("The process that reads it could not be started");
  return [...states.values()];
};

/** Makes a sound store from the readable data of a damaged one. */
async function salvage(location: StoreLocation, to: string): Promise<DoctorStep> {
  try {
    if (location.kind !== "embedded") throw new Unavailable("--to needs an embedded store");
    const { salvageStore } = await import("../store/lmdb/salvage.js");
    const { taken, lost, removed } = await salvageStore(location.directory, to, salvageInProcess);
    const count = lost.reduce((sum, table) => sum + table.count, 0);
    if (lost.length === 0) {
      return {
        finding: { about: "repair", state: "ok", text: `${taken} records were copied to ${to}; none is lost` },
      };
    }
    const gone = removed > 0 ? `; ${removed} that refer to them were removed` : "";
    const text = `${taken} records were copied to ${to}; ${count} in ${lost.map(({ table }) => table).join(", ")} are lost${gone}`;
    return { finding: { about: "repair", state: "problem", text }, lost };
  } catch (error) {
    const why = error instanceof DomainError ? error.message : "it failed";
    return { finding: { about: "repair", state: "problem", text: `nothing was repaired: ${why}` } };
  }
}

/** Corrects the index of contacts by address. Opening an older store upgrades it. */
async function repairStore(location: StoreLocation): Promise<Finding> {
  try {
    const changed = await repairContactKeys(location);
    const text =
      changed === 0 ? "contacts and their index agree" : `${changed} contacts and index entries were repaired`;
    return { about: "repair", state: changed === 0 ? "ok" : "note", text };
  } catch (error) {
    const why = error instanceof DomainError ? error.message : "it failed";
    return { about: "repair", state: "problem", text: `nothing was repaired: ${why}` };
  }
}

async function repairContactKeys(location: StoreLocation): Promise<number> {
  if (location.kind === "mongo") {
    const { repairMongo } = await import("../store/mongo/repair.js");
    return repairMongo(location.url, ANSWER_MS);
  }
  const { repairEmbedded } = await import("../store/lmdb/repair.js");
  const owned = await ownDirectory(location.directory, 0);
  return repairEmbedded(location.directory).finally(() => owned.end());
}

const RESTORE = "stop its servers and restore a backup";
const REPAIR = "stop its servers and run `aisle doctor --repair`";

/** Faults that `--repair` corrects: an index entry without its contact, and a contact without its index entry. */
function isRepairable({ table, kind }: Verification["faults"][number]): boolean {
  return (table === "contactKeys" && kind === "index") || (table === "contacts" && kind === "unindexed");
}

/** The meaning of a verification's result for the operator. */
export function verdict({ entries, faultCount, faults, failure }: Verification): Finding {
  if (failure !== "") return { about: "verify", state: "problem", text: `${failure}; ${RESTORE}` };
  const records = Object.values(entries).reduce((sum, count) => sum + count, 0);
  if (faultCount === 0) return { about: "verify", state: "ok", text: `${records} records read, no faults` };
  const tables = [...new Set(faults.map(({ table }) => table))].join(", ");
  const isWhole = faultCount === faults.length && faults.every(isRepairable);
  const text = isWhole
    ? `${records} records read, no faults; ${faultCount} entries of the index of contacts are wrong; ${REPAIR}`
    : `${records} records read, ${faultCount} faults in ${tables}; ${RESTORE}`;
  return { about: "verify", state: "problem", text };
}
