import { DataDamaged } from "../../domain/errors.js";
import { IDEMPOTENCY_MS } from "../../domain/event.js";
import type { CopiedRecords, CopiedTable, Copies } from "../ports/copies.js";
import { canonicalText, keyOrder } from "./canonical.js";

/** A row, and its value as the text by which it is compared. */
export interface Row<N extends CopiedTable> {
  readonly key: string;
  readonly value: CopiedRecords[N];
  readonly text: string;
}

/** Rows asked for at once: a few at first, then as many as hold about PAGE_CHARS, so that memory is bounded. */
const FIRST_ROWS = 50;
const MOST_ROWS = 1000;
const PAGE_CHARS = 2_000_000;

/** The rows of a table of an app in order of keys, those of greater keys than `after`. */
export async function* rowsOf<N extends CopiedTable>(
  copies: Copies,
  appId: string,
  table: N,
  after = "",
): AsyncGenerator<Row<N>, undefined> {
  let last = after;
  for (let limit = FIRST_ROWS; ; ) {
    const page = await copies.scan(appId, table, last, limit);
    let chars = 0;
    for (const { key, value } of page) {
      if (last !== "" && keyOrder(last, key) >= 0) throw new DataDamaged("Stored keys are out of order");
      last = key;
      const text = canonicalText(value);
      chars += text.length;
      yield { key, value, text };
    }
    if (page.length < limit) return undefined;
    limit = Math.min(MOST_ROWS, Math.max(1, Math.floor((PAGE_CHARS / Math.max(1, chars)) * page.length)));
  }
}

/**
 * True for a row that counts: all but idempotency keys claimed before `claimedFrom`, which stores remove each in its
 * own time.
 */
export function counts<N extends CopiedTable>(row: Row<N>, claimedFrom: number): boolean {
  const value: CopiedRecords[CopiedTable] = row.value;
  return typeof value === "string" || !("claimedAt" in value) || value.claimedAt >= claimedFrom;
}

/** The time of the oldest idempotency keys that are still alive in `marginMs`. */
export function oldestClaim(now: number, marginMs = 0): number {
  return now - IDEMPOTENCY_MS + marginMs;
}
