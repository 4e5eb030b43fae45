/**
 * Flips one bit of a store's files at a time, in one copy: for each seed from the first to the last given it turns the bit over,
 * opens the store, asks for everything in it and turns the bit back. Prints a line for each: the seed, `whole`, `refused`
 * (some readings failed aloud) or `wrong` (one succeeded and gave something else), and the readings that did not give
 * all. LMDB may crash the process; whoever started it goes on with the next seed. Seed 0 flips nothing and notes the truth.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { verifyStore } from "../../../src/store/lmdb/verify.js";
import { canonicalText } from "../../../src/store/migrate/canonical.js";
import { COPIED_TABLES } from "../../../src/store/ports/copies.js";
import type { Store } from "../../../src/store/ports/store.js";
import { seededRandom } from "../random.js";
import { FLIPPED_APP, FLIPPED_ROWS } from "./flipped-small.js";

const [directory = "", first = "0", last = "0"] = process.argv.slice(2);

const PAGE_BYTES = 4096;
/** Of so many seeds one flips a bit of a snapshot. */
const SNAPSHOT_EVERY = 20;

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

const READINGS: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  app: ({ apps }) => apps.get(FLIPPED_APP),
  apps: ({ apps }) => apps.list("", 100),
  frames: ({ apps }) => apps.listFrames(FLIPPED_APP, "", 100),
  newest: ({ events }) => events.list(FLIPPED_APP, "", FLIPPED_ROWS, true),
  ledger: ({ contacts }) => contacts.changes(FLIPPED_APP, "", "", FLIPPED_ROWS),
  found: ({ contacts }) => contacts.find(FLIPPED_APP, "e:a0@b.de"),
  recent: ({ interactions }) => interactions.recent(FLIPPED_APP, ["v0", "v4"], 100),
  bySku: ({ products }) => products.getBySku(FLIPPED_APP, "s3"),
  visitors: ({ visitors }) => visitors.find(FLIPPED_APP, ["c:0", "c:4", "c:8"]),
  models: ({ models }) => models.list(FLIPPED_APP),
  pointer: ({ models }) => models.pointer(FLIPPED_APP),
  snapshot: ({ models }) => models.read(FLIPPED_APP, "m1").then((bytes) => Buffer.from(bytes ?? "").toString("hex")),
  events: ({ events }) => Promise.all(numbers().map((n) => events.get(FLIPPED_APP, eventId(n)))),
  ...Object.fromEntries(
    COPIED_TABLES.map((table) => [
      `all ${table}`,
      (store: Store) => store.copies.scan(FLIPPED_APP, table, "", FLIPPED_ROWS),
    ]),
  ),
};

const eventId = (n: number) => `e${String(n).padStart(6, "0")}`;
const numbers = () => Array.from({ length: FLIPPED_ROWS }, (_, n) => n);

/** What each reading gives; undefined where it fails. */
async function readAll(): Promise<Map<string, string | undefined>> {
  const got = new Map<string, string | undefined>();
  const attempt = async (name: string, read: () => Promise<unknown>) => {
    got.set(
      name,
      await read().then(
        (found) => canonicalText(found ?? null),
        () => undefined,
      ),
    ); // told as refused
  };
  const store = await openEmbeddedStore({ directory, now: () => 5, readOnly: true }).catch(() => undefined); // refused
  for (const [name, read] of Object.entries(READINGS))
    await attempt(name, async () => {
      if (store === undefined) throw new Error("It cannot be opened");
      return read(store);
    });
  await store?.close();
  return got;
}

const truth = `${directory}-truth.json`;
for (let seed = Number(first); seed <= Number(last); seed++) {
  const place = seed === 0 ? undefined : placeOf(seed);
  if (place !== undefined) flip(place);
  const got = await readAll();
  if (seed === 0) writeFileSync(truth, JSON.stringify([...got]));
  const wanted = new Map<string, string>(JSON.parse(readFileSync(truth, "utf8")));
  const refused = [...got].filter(([, text]) => text === undefined).map(([name]) => name);
  const wrong = [...got]
    .filter(([name, text]) => text !== undefined && text !== wanted.get(name))
    .map(([name]) => name);
  let unnoticed: string[] = [];
  if (refused.length > 0 && wrong.length === 0) {
    const faults = await verifyStore(directory).then(
      ({ faultCount }) => faultCount,
      () => 1,
    ); // it cannot be opened
    if (faults === 0) unnoticed = refused;
  }
  if (place !== undefined) flip(place);
  const outcome =
    wrong.length > 0 ? "wrong" : unnoticed.length > 0 ? "unnoticed" : refused.length > 0 ? "refused" : "whole";
  process.stdout.write(`${JSON.stringify({ seed, outcome, names: wrong.length > 0 ? wrong : refused })}\n`);
}
