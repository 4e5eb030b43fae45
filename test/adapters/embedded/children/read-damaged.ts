/**
 * Reads damaged copies of a store: for each seed given it copies the directory, flips some bits of the data file,
 * opens the store, asks for everything in it and prints one line: the seed and, of all answers, how many were
 * `right`, `wrong`, `missing` and `refused`, and how many `faults` a verification finds. Seed 0 does no damage. LMDB may crash the process on a damaged tree; whoever started it goes on
 * with the next seed.
 */
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { openEmbeddedStore } from "../../../../src/adapters/embedded/store.js";
import { verifyStore } from "../../../../src/adapters/embedded/verify.js";
import { DomainError } from "../../../../src/domain/errors.js";
import type { Store } from "../../../../src/ports/store.js";
import { APP, EVENTS, storedEvent, storedHistory, storedProduct, VISITORS } from "./damaged-data.js";

const [directory = "", ...seeds] = process.argv.slice(2);

/** A small generator of numbers below 1 (mulberry32), so that a seed always does the same damage. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function damage(path: string, seed: number): Promise<void> {
  const random = generator(seed);
  const bytes = await readFile(path);
  const flips = seed === 0 ? 0 : 1 + Math.floor(random() * 8);
  for (let n = 0; n < flips; n++) {
    const bit = Math.floor(random() * bytes.length * 8);
    bytes[bit >> 3] = bytes[bit >> 3]! ^ (1 << (bit & 7));
  }
  await writeFile(path, bytes);
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
for (let n = 0; n < EVENTS; n++) STORED.add(JSON.stringify(storedEvent(n)));
for (let n = 0; n < VISITORS; n++) {
  for (const one of storedHistory(n)?.interactions ?? []) STORED.add(JSON.stringify(one));
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
  return found.every((one) => STORED.has(JSON.stringify(one)));
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
