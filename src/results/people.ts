import { type FrameExposure, NO_EXPOSURE, type Share, type VisitorOrder } from "../domain/frame-exposure.js";
import { type FrameTally, NO_TALLY, sumOfTallies, withoutTally } from "../domain/frame-tally.js";
import type { VisitorKey } from "../domain/ids.js";
import type { Transaction } from "../store/ports/unit-of-work.js";
import { lastSeenOf, sharesOf } from "./person-results.js";
import { remembered } from "./remembered.js";

/** Keys that a request or an order may make one person, as many as the identity stage joins. */
const MOST_KEYS = 64;

/**
 * The exposures of an app in a unit of work, by persons. A person is all keys that the identity stage joined into one visitor,
 * and those that a request or an order named together.
 */
export class People {
  private readonly records = new Map<VisitorKey, FrameExposure>();
  private readonly touched = new Set<VisitorKey>();

  constructor(private readonly tx: Transaction) {}

  /** Undefined where nothing is known of a key. */
  recordOf(key: VisitorKey): FrameExposure | undefined {
    const known = this.records.get(key) ?? this.tx.frameExposures.get(key);
    if (known !== undefined) this.records.set(key, known);
    return known;
  }

  /** The keys of the person, these first. */
  personOf(keys: readonly VisitorKey[]): readonly VisitorKey[] {
    const found = new Set(keys);
    for (const key of found) {
      const visitor = this.tx.visitors.get(this.tx.visitorKeys.get(key) ?? "");
      const more = [...(visitor?.keys ?? []), ...(this.recordOf(key)?.links ?? [])];
      for (const one of more) found.add(one);
    }
    return [...found];
  }

  /** The key of a person that holds something; otherwise one that holds exposures, otherwise any. */
  holderOf(keys: readonly VisitorKey[], holds: (exposure: FrameExposure) => boolean): VisitorKey | undefined {
    const person = this.personOf(keys);
    const find = (has: typeof holds) => person.find((key) => has(this.recordOf(key) ?? NO_EXPOSURE));
    return find(holds) ?? find(({ frames }) => frames.length > 0) ?? person[0];
  }

  /** When a person saw a list last before an order, of the lists that it may count for; 0 for never. */
  lastSeenBefore(keys: readonly VisitorKey[], order: VisitorOrder): number {
    const records = this.personOf(keys).map((key) => this.recordOf(key) ?? NO_EXPOSURE);
    return lastSeenOf(records, order);
  }

  /** Changes what is known of a key, and counts its person anew. */
  change(key: VisitorKey, to: (exposure: FrameExposure) => FrameExposure): void {
    const before = this.recordOf(key);
    const after = to(before ?? NO_EXPOSURE);
    if (after === before || (before === undefined && after === NO_EXPOSURE)) return;
    this.records.set(key, after);
    this.tx.frameExposures.put(key, after);
    this.touched.add(key);
  }

  /** Counts the person of a key anew: it may have gained or lost keys. */
  touch(key: VisitorKey): void {
    this.touched.add(key);
  }

  /** These keys were named together: they are one person's. */
  link(keys: readonly VisitorKey[]): void {
    const [first, ...others] = keys;
    if (first === undefined) return;
    for (const other of others) {
      const person = this.personOf([first]);
      if (person.includes(other) || person.length + this.personOf([other]).length > MOST_KEYS) continue;
      this.change(first, (exposure) => ({ ...exposure, links: [...exposure.links, other] }));
      this.change(other, (exposure) => ({ ...exposure, links: [...exposure.links, first] }));
    }
  }

  /** What the touched persons add to the tallies, as it differs from what these hold; the tallies hold it from then on. */
  count(): ReadonlyMap<string, FrameTally> {
    const changes = new Map<string, FrameTally>();
    const add = ({ key, tally }: Share, combine: typeof sumOfTallies) =>
      changes.set(key, combine(changes.get(key) ?? NO_TALLY, tally));
    const done = new Set<VisitorKey>();
    for (const touched of this.touched) {
      if (done.has(touched)) continue;
      const keys = this.personOf([touched]).filter((key) => this.recordOf(key) !== undefined);
      const records = keys.map((key) => this.recordOf(key) ?? NO_EXPOSURE);
      for (const key of keys) done.add(key);
      for (const record of records) for (const share of record.counted ?? sharesOf([record])) add(share, withoutTally);
      const shares = sharesOf(records);
      for (const share of shares) add(share, sumOfTallies);
      this.keep(keys, remembered(records), shares, records);
    }
    return changes;
  }

  /** What is forgotten stays counted. */
  private keep(
    keys: readonly VisitorKey[],
    kept: readonly FrameExposure[],
    shares: readonly Share[],
    before: readonly FrameExposure[],
  ): void {
    const isWhole = kept.every((record, i) => record === before[i]);
    for (const [i, record] of withCounted(kept, isWhole ? shares : sharesOf(kept)).entries()) {
      const key = keys[i];
      if (key === undefined || record === before[i]) continue;
      this.records.set(key, record);
      this.tx.frameExposures.put(key, record);
    }
  }
}

/** Forgets what is known of a key; what the tallies hold of its person stays. */
export function forgetKey(tx: Transaction, key: VisitorKey): void {
  const people = new People(tx);
  const others = people.personOf([key]).filter((one) => one !== key && people.recordOf(one) !== undefined);
  const left = others.map((one) => people.recordOf(one) ?? NO_EXPOSURE);
  const isCounted = [key, ...others].some((one) => people.recordOf(one)?.counted?.length !== 0);
  if (isCounted)
    for (const [i, record] of withCounted(left, sharesOf(left)).entries()) {
      const other = others[i];
      if (other !== undefined && record !== left[i]) tx.frameExposures.put(other, record);
    }
  tx.frameExposures.delete(key);
}

/** The records of a person whose shares the tallies hold: the first says so for all. */
export function withCounted(records: readonly FrameExposure[], shares: readonly Share[]): readonly FrameExposure[] {
  return records.map((record, i) => {
    const counted = i === 0 ? shares : [];
    return record.counted?.length === 0 && counted.length === 0 ? record : { ...record, counted };
  });
}
