/**
 * Flips one bit of a store's files at a time, in one copy: for each seed from the first to the last given it turns the bit over,
 * opens the store, asks for everything in it and turns the bit back. Prints a line for each: the seed, the readings that gave
 * something else (`wrong`), did not find a record (`missing`) or failed aloud (`refused`), and whether a verification finds
 * the damage. LMDB may crash the process; whoever started it goes on with the next seed. Seed 0 flips nothing and notes the truth.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { verifyStore } from "../../../src/store/lmdb/verify.js";
import { COPIED_TABLES } from "../../../src/store/ports/copies.js";
import type { Store } from "../../../src/store/ports/store.js";
import { seededRandom } from "../random.js";
import { FLIPPED_APP, FLIPPED_ROWS } from "./flipped-small.js";

const [directory = "", first = "0", last = "0"] = process.argv.slice(2);

const PAGE_BYTES = 4096;
/** Of so many seeds one flips a bit of a snapshot. */
const SNAPSHOT_EVERY = 20;
/** A verification takes ten times as long as the readings. It follows each that missed a record, and some others. */
const VERIFIED_EVERY = 10;

/** The file of a seed and its bit: of a snapshot, of pages that lead to others or of heads, or anywhere. */
function placeOf(seed: number): { readonly path: string; readonly bit: number } {
  const random = seededRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  if (seed % SNAPSHOT_EVERY === 0) {
    const models = join(directory, "models", FLIPPED_APP);
    const path = join(models, readdirSync(models)[0] ?? "");
    return { path, bit: below(readFileSync(path).length * 8) };
  }
  const path = join(directory, "data.mdb");
  const bytes = readFileSync(path);
  let at = below(bytes.length);
  // Every second one is within the first bytes of a page: its header and the places of its entries.
  if (seed % 2 === 0) at = at - (at % PAGE_BYTES) + below(200);
  return { path, bit: at * 8 + below(8) };
}

function flip({ path, bit }: { readonly path: string; readonly bit: number }): void {
  const bytes = readFileSync(path);
  bytes[bit >> 3] = bytes[bit >> 3]! ^ (1 << (bit & 7));
  writeFileSync(path, bytes);
}

/** Lists: each fails, or lacks what a damaged page hides. */
const LISTS: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  apps: ({ apps }) => apps.list("", 100),
  frames: ({ apps }) => apps.listFrames(FLIPPED_APP, "", 100),
  newest: ({ events }) => events.list(FLIPPED_APP, "", FLIPPED_ROWS, true),
  ledger: ({ contacts }) => contacts.changes(FLIPPED_APP, "", "", FLIPPED_ROWS),
  recent: ({ interactions }) => interactions.recent(FLIPPED_APP, ["v0", "v4"], 100),
  models: ({ models }) => models.list(FLIPPED_APP),
  ...Object.fromEntries(
    COPIED_TABLES.map((table) => [
      `all ${table}`,
      (store: Store) => store.copies.scan(FLIPPED_APP, table, "", FLIPPED_ROWS),
    ]),
  ),
};

/** Single records, each asked for by its key. */
const RECORDS: Readonly<Record<string, (store: Store) => Promise<readonly unknown[]>>> = {
  app: async ({ apps }) => [await apps.get(FLIPPED_APP)],
  contact: async ({ contacts }) => [await contacts.find(FLIPPED_APP, "e:a0@b.de")],
  product: async ({ products }) => [await products.getBySku(FLIPPED_APP, "s3")],
  visitors: ({ visitors }) =>
    Promise.all(["c:0", "c:4", "c:8"].map(async (key) => (await visitors.find(FLIPPED_APP, [key]))[0])),
  pointer: async ({ models }) => [await models.pointer(FLIPPED_APP)],
  snapshot: async ({ models }) => [
    Buffer.concat((await models.read(FLIPPED_APP, "m1")) ?? []).toString("hex") || undefined,
  ],
  events: ({ events }) =>
    Promise.all(
      Array.from({ length: FLIPPED_ROWS }, (_, n) => events.get(FLIPPED_APP, `e${String(n).padStart(6, "0")}`)),
    ),
};

const READINGS = { ...LISTS, ...RECORDS };

/** What each reading gives, record by record; undefined where it fails. */
async function readAll(): Promise<Map<string, readonly string[] | undefined>> {
  const got = new Map<string, readonly string[] | undefined>();
  const textsOf = (found: unknown) =>
    (Array.isArray(found) ? found : [found]).map((one) => JSON.stringify(one ?? null));
  const store = await openEmbeddedStore({ directory, now: () => 5, readOnly: true }).catch(() => undefined); // refused
  for (const [name, read] of Object.entries(READINGS)) {
    const reading = store === undefined ? Promise.reject(new Error("It cannot be opened")) : read(store);
    got.set(name, await reading.then(textsOf, () => undefined)); // told as refused
  }
  await store?.close();
  return got;
}

/** `missing`: a record that was asked for by its key is said not to be there, or a list lacks some. */
function outcomeOf(name: string, texts: readonly string[] | undefined, wanted: readonly string[] = []) {
  if (texts === undefined) return "refused";
  const isRight = (text: string, n: number) => text === wanted[n];
  if (texts.length === wanted.length && texts.every(isRight)) return "whole";
  if (name in RECORDS) return texts.every((text, n) => text === "null" || isRight(text, n)) ? "missing" : "wrong";
  let at = 0;
  for (const text of texts) {
    at = wanted.indexOf(text, at) + 1;
    if (at === 0) return "wrong";
  }
  return "missing";
}

async function faultsOf(): Promise<number> {
  return verifyStore(directory).then(
    ({ faultCount }) => faultCount,
    () => 1, // it cannot be opened
  );
}

const truth = `${directory}-truth.json`;
for (let seed = Number(first); seed <= Number(last); seed++) {
  const place = seed === 0 ? undefined : placeOf(seed);
  if (place !== undefined) flip(place);
  const got = await readAll();
  if (seed === 0) writeFileSync(truth, JSON.stringify([...got]));
  const wanted = new Map<string, readonly string[]>(JSON.parse(readFileSync(truth, "utf8")));
  const outcomes = [...got].map(([name, texts]) => [name, outcomeOf(name, texts, wanted.get(name))] as const);
  const named = (outcome: string) => outcomes.filter(([, one]) => one === outcome).map(([name]) => name);
  const [wrong, missing, refused] = [named("wrong"), named("missing"), named("refused")];
  const mustBeFound = missing.length > 0 || seed % VERIFIED_EVERY === 0;
  const isFound = !mustBeFound || refused.length + missing.length === 0 || (await faultsOf()) > 0;
  if (place !== undefined) flip(place);
  process.stdout.write(`${JSON.stringify({ seed, wrong, missing, refused, isFound })}\n`);
}
