/**
 * Reads copies of a store in which one byte was changed. For each seed given it copies the directory, changes a byte of
 * the data file, does everything that reads the store as a whole, and prints one line: the seed and by reading what came
 * of it: `whole`, `refused` (it failed) or `short` (it succeeded and gave something else than the sound store). LMDB may
 * crash the process; whoever started it goes on with the next seed. Seed 0 changes nothing and notes the truth. With
 * `anywhere` the byte is any of the file; with `structure` it is one of those that lead to others.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { backUp } from "../../../src/server/backup.js";
import { migrateStores } from "../../../src/server/migrate-stores.js";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { verifyStore } from "../../../src/store/lmdb/verify.js";
import { canonicalText } from "../../../src/store/migrate/canonical.js";
import { digestTable } from "../../../src/store/migrate/digest.js";
import { COPIED_TABLES } from "../../../src/store/ports/copies.js";
import type { Store } from "../../../src/store/ports/store.js";
import { seededRandom } from "../random.js";
import { APPS } from "./flipped-data.js";

const [kind = "anywhere", directory = "", ...seeds] = process.argv.slice(2);

const PAGE_BYTES = 4096;
const PAGE_HEADER_BYTES = 24;
const NODE_HEADER_BYTES = 8;
const HEAD_BYTES = 168;
/** Bytes of the key of a node, more or less. */
const KEY_BYTES = 30;
/** A page of the listings. */
const ROWS = 100;

/** A byte of a head, of a page of branches, or of a leaf's header, places of nodes, or the head and key of a node. */
function structureByte(bytes: Buffer, random: () => number): number {
  for (;;) {
    const at = PAGE_BYTES * Math.floor(random() * (bytes.length / PAGE_BYTES));
    const flags = bytes.readUInt16LE(at + 18);
    if (flags === 1) return at + Math.floor(random() * PAGE_BYTES);
    if (flags === 8) return at + Math.floor(random() * HEAD_BYTES);
    if (flags !== 2) continue;
    const nodes = bytes.readUInt16LE(at + 20) / 2;
    const before = PAGE_HEADER_BYTES + 2 * nodes;
    const node = bytes.readUInt16LE(at + PAGE_HEADER_BYTES + 2 * Math.floor(random() * nodes)) + PAGE_HEADER_BYTES;
    const place = Math.floor(random() * (before + NODE_HEADER_BYTES + KEY_BYTES));
    return Math.min(bytes.length - 1, at + (place < before ? place : node + place - before));
  }
}

async function flipByte(path: string, seed: number): Promise<void> {
  if (seed === 0) return;
  const random = seededRandom(seed);
  const bytes = await readFile(path);
  const at = kind === "anywhere" ? Math.floor(random() * bytes.length) : structureByte(bytes, random);
  bytes[at] = bytes[at]! ^ (1 + Math.floor(random() * 255));
  await writeFile(path, bytes);
}

/** The checksum of all rows, page after page. */
async function listed<T>(page: (after: string) => Promise<readonly T[]>, idOf: (row: T) => string): Promise<string> {
  const hash = createHash("sha256");
  for (let after = ""; ; ) {
    const rows = await page(after);
    for (const row of rows) hash.update(canonicalText(row));
    const last = rows.at(-1);
    if (last === undefined) return hash.digest("hex");
    after = idOf(last);
  }
}

async function ofEachApp(read: (appId: string) => Promise<string>): Promise<string> {
  const all: string[] = [];
  for (const appId of APPS) all.push(await read(appId));
  return all.join("\n");
}

async function copiedTables(store: Store, appId: string): Promise<string> {
  const all: string[] = [];
  for (const table of COPIED_TABLES) {
    const { rows, checksum } = await digestTable(store, appId, table, 0, () => undefined);
    all.push(`${table} ${rows} ${checksum}`);
  }
  return all.join("\n");
}

async function trainedFrom(store: Store, appId: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const batch of store.interactions.scan(appId)) for (const one of batch) hash.update(canonicalText(one));
  return hash.digest("hex");
}

const READINGS: Readonly<Record<string, (store: Store) => Promise<string>>> = {
  apps: ({ apps }) =>
    listed(
      (after) => apps.list(after, 2),
      ({ appId }) => appId,
    ),
  events: ({ events }) =>
    ofEachApp((appId) =>
      listed(
        (after) => events.list(appId, after, ROWS, false),
        ({ eventId }) => eventId,
      ),
    ),
  newestEvents: ({ events }) =>
    ofEachApp((appId) =>
      listed(
        (after) => events.list(appId, after, ROWS, true),
        ({ eventId }) => eventId,
      ),
    ),
  products: ({ products }) =>
    ofEachApp((appId) =>
      listed(
        (after) => products.list(appId, after, ROWS),
        ({ productId }) => productId,
      ),
    ),
  ledger: ({ contacts }) =>
    ofEachApp((appId) =>
      listed(
        (after) => contacts.changes(appId, "", after, ROWS),
        ({ changeId }) => changeId,
      ),
    ),
  training: (store) => ofEachApp((appId) => trainedFrom(store, appId)),
  tables: (store) => ofEachApp((appId) => copiedTables(store, appId)),
};

async function withStore<T>(path: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openEmbeddedStore({ directory: path, now: () => 5, readOnly: true });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function backedUp(path: string): Promise<string> {
  await backUp({ store: `embedded:${path}`, to: `${path}-backup` }, {});
  return withStore(`${path}-backup`, async (store) => {
    const all: string[] = [];
    for (const read of Object.values(READINGS)) all.push(await read(store));
    return all.join("\n");
  });
}

async function migrated(path: string): Promise<string> {
  const request = { from: `embedded:${path}`, to: `embedded:${path}-moved`, appIds: [], again: false, check: false };
  const hooks = { update: () => undefined, log: () => undefined, signal: undefined };
  for await (const app of migrateStores(request, hooks)) {
    if (app.outcome !== "copied") throw new Error("source and target differ");
  }
  return withStore(`${path}-moved`, (store) => ofEachApp((appId) => copiedTables(store, appId)));
}

async function verified(path: string): Promise<string> {
  const { faultCount, entries } = await verifyStore(path);
  if (faultCount > 0) throw new Error("faults were found");
  return JSON.stringify(entries);
}

/** What each reading of the store in `path` gives, by its name; undefined where it fails. */
async function readEverything(path: string): Promise<Map<string, string | undefined>> {
  const got = new Map<string, string | undefined>();
  const attempt = async (name: string, read: () => Promise<string>) => {
    got.set(name, await read().catch(() => undefined)); // what a fault may throw is not ours to name
  };
  for (const [name, read] of Object.entries(READINGS)) await attempt(name, () => withStore(path, read));
  await attempt("backup", () => backedUp(path));
  await attempt("migrate", () => migrated(path));
  await attempt("doctor", () => verified(path));
  return got;
}

const truth = `${directory}-truth.json`;
for (const seed of seeds.map(Number)) {
  const copy = `${directory}-${seed}`;
  await cp(directory, copy, { recursive: true });
  await flipByte(join(copy, "data.mdb"), seed);
  const got = await readEverything(copy);
  if (seed === 0) await writeFile(truth, JSON.stringify([...got]));
  const wanted = new Map<string, string>(JSON.parse(readFileSync(truth, "utf8")));
  const outcomes = [...got].map(([name, text]) => {
    return [name, text === undefined ? "refused" : text === wanted.get(name) ? "whole" : "short"] as const;
  });
  for (const one of [copy, `${copy}-backup`, `${copy}-moved`]) await rm(one, { recursive: true, force: true });
  process.stdout.write(`${JSON.stringify({ seed, outcomes: Object.fromEntries(outcomes) })}\n`);
}
