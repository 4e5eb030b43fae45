/**
 * Reads damaged copies of a store: for each seed given it copies the directory, damages the data file, opens the store,
 * asks for everything in it and prints one line: the seed and, of all answers, how many were `right`, `wrong`, `missing`
 * and `refused`, how many times damage was `reported`, and how many `faults` a verification finds. The damage is `flip`,
 * some bits, or `tear`, the end of the file or some sectors. Seed 0 does none. LMDB may crash the process on a damaged
 * tree; whoever started it goes on with the next seed.
 */
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { DomainError } from "../../../src/domain/errors.js";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { verifyStore } from "../../../src/store/lmdb/verify.js";
import { canonicalText } from "../../../src/store/migrate/canonical.js";
import type { Store } from "../../../src/store/ports/store.js";
import { flipBits, seededRandom } from "../random.js";
import { APP, EVENTS, storedEvent, storedHistory, storedProduct, VISITORS } from "./damaged-data.js";

const [kind = "flip", directory = "", ...seeds] = process.argv.slice(2);

const SECTOR = 512;

async function damage(path: string, seed: number): Promise<void> {
  if (seed === 0) return;
  const random = seededRandom(seed);
  const bytes = await readFile(path);
  await writeFile(path, kind === "flip" ? flipBits(bytes, 1 + Math.floor(random() * 8), random) : torn(bytes, random));
}

function torn(bytes: Buffer, random: () => number): Buffer {
  if (random() < 0.5) return bytes.subarray(0, Math.floor(random() * bytes.length));
  for (let left = 1 + Math.floor(random() * 4); left > 0; left--) {
    const sector = Math.floor((random() * bytes.length) / SECTOR);
    bytes.fill(0, sector * SECTOR, (sector + 1) * SECTOR);
  }
  return bytes;
}

const counts = { right: 0, wrong: 0, missing: 0, refused: 0, reported: 0, faults: 0 };

/** Compares an answer with what was stored. */
async function ask<T>(answer: () => Promise<T | undefined>, expected: T): Promise<void> {
  try {
    const found = await answer();
    if (found === undefined) counts.missing++;
    else if (isDeepStrictEqual(found, expected)) counts.right++;
    else counts.wrong++;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    counts.refused++;
  }
}

/** All events and interactions that were stored; each is unlike all others. */
const STORED = new Set<string>();
for (let n = 0; n < EVENTS; n++) STORED.add(canonicalText(storedEvent(n)));
for (let n = 0; n < VISITORS; n++) {
  for (const one of storedHistory(n)?.interactions ?? []) STORED.add(canonicalText(one));
}

async function askEverything(store: Store): Promise<void> {
  for (let n = 0; n < EVENTS; n++) {
    const event = storedEvent(n);
    await ask(() => store.events.get(APP, event.eventId), event);
    const product = storedProduct(n);
    await ask(() => store.products.get(APP, product.productId), product);
  }
  for (let n = 0; n < EVENTS; n += 50) {
    const page = Array.from({ length: 50 }, (_, i) => storedEvent(n + i));
    const from = n === 0 ? "" : storedEvent(n - 1).eventId;
    await askList(() => store.events.list(APP, from, 50, false), page);
  }
  try {
    for await (const batch of store.interactions.scan(APP)) {
      for (const history of batch) {
        const number = Number(history.visitorId.slice(1));
        const stored = storedHistory(number);
        const known = stored !== undefined && stored.visitorId === history.visitorId;
        if (known && isDeepStrictEqual(history, stored)) counts.right++;
        else if (known && isPartOf(history.interactions)) counts.missing++;
        else counts.wrong++;
      }
    }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    counts.refused++;
  }
  for (let n = 0; n < VISITORS; n++) {
    const stored = storedHistory(n)!;
    const newest = [...stored.interactions].reverse();
    await askList(() => store.interactions.recent(APP, [stored.visitorId], 100), newest);
  }
}

/** A list may lack what a damaged key has hidden (a page of events then goes on further), but holds nothing else. */
async function askList<T>(answer: () => Promise<readonly T[]>, expected: readonly T[]): Promise<void> {
  try {
    const found = await answer();
    if (isDeepStrictEqual(found, expected)) counts.right++;
    else if (found.length <= expected.length && isPartOf(found)) counts.missing++;
    else counts.wrong++;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    counts.refused++;
  }
}

function isPartOf(found: readonly unknown[]): boolean {
  return found.every((one) => STORED.has(canonicalText(one)));
}

for (const seed of seeds) {
  const copy = `${directory}-${seed}`;
  await cp(directory, copy, { recursive: true });
  await damage(join(copy, "data.mdb"), Number(seed));
  Object.assign(counts, { right: 0, wrong: 0, missing: 0, refused: 0, reported: 0, faults: 0 });
  try {
    const onDamage = () => void counts.reported++;
    const store = await openEmbeddedStore({ directory: copy, now: () => 0, readOnly: true, onDamage });
    await askEverything(store);
    await store.close();
    counts.faults = (await verifyStore(copy)).faultCount;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    counts.refused++;
    counts.faults++; // it cannot even be opened
  }
  await rm(copy, { recursive: true, force: true });
  process.stdout.write(`${JSON.stringify({ seed: Number(seed), ...counts })}\n`);
}
