import type { CopiedRecords, CopiedRow, CopiedTable } from "../ports/copies.js";
import type { Store } from "../ports/store.js";
import { keyOrder } from "./canonical.js";
import { counts, type Row, rowsOf } from "./rows.js";

/** Written in one batch at most: what every store takes at once. */
const BATCH_ROWS = 500;
const BATCH_CHARS = 1_000_000;

/** Save progress after this many equal rows, so that a resumed run need not read them again. */
const NOTED_ROWS = 20_000;

export interface CopyTableDeps {
  readonly from: Store;
  readonly to: Store;
  readonly appId: string;
  readonly run: string;
  /** Idempotency keys claimed before are left alone on both sides. */
  readonly claimedFrom: number;
  /** Told of the rows of the source seen so far. May throw to end the copy. */
  readonly onRows: (rows: number) => void;
}

/**
 * Makes a table of the target equal to the source for keys greater than `after`: reads both in key order and writes the
 * differences. This resumes an interrupted copy, updates a finished one and duplicates nothing. Returns the number of rows
 * written or removed.
 */
export async function copyTable<N extends CopiedTable>(deps: CopyTableDeps, table: N, after: string): Promise<number> {
  const { from, to, appId, run, claimedFrom, onRows } = deps;
  const source = rowsOf(from.copies, appId, table, after);
  const target = rowsOf(to.copies, appId, table, after);
  let puts: CopiedRow<CopiedRecords[N]>[] = [];
  let removals: string[] = [];
  let chars = 0;
  let unnoted = 0;
  let seen = 0;
  let written = 0;
  let upTo = after;

  const flush = async (): Promise<void> => {
    if (unnoted === 0) return;
    await to.copies.write(appId, run, { table, puts, removals, upTo });
    written += puts.length + removals.length;
    [puts, removals, chars, unnoted] = [[], [], 0, 0];
    onRows(seen);
  };

  let ours = await next(source, claimedFrom);
  let theirs = await next(target, claimedFrom);
  while (ours !== undefined || theirs !== undefined) {
    const order = ours === undefined ? 1 : theirs === undefined ? -1 : keyOrder(ours.key, theirs.key);
    if (ours !== undefined && order <= 0) {
      if (order < 0 || ours.text !== theirs?.text) {
        puts.push({ key: ours.key, value: ours.value });
        chars += ours.text.length;
      }
      upTo = ours.key;
      seen++;
    } else if (theirs !== undefined) {
      removals.push(theirs.key);
      upTo = theirs.key;
    }
    unnoted++;
    if (order <= 0) ours = await next(source, claimedFrom);
    if (order >= 0) theirs = await next(target, claimedFrom);
    if (puts.length + removals.length >= BATCH_ROWS || chars >= BATCH_CHARS || unnoted >= NOTED_ROWS) await flush();
  }
  await flush();
  onRows(seen);
  return written;
}

/** The next row that counts. */
async function next<N extends CopiedTable>(
  rows: AsyncGenerator<Row<N>, undefined>,
  claimedFrom: number,
): Promise<Row<N> | undefined> {
  for (;;) {
    const { value } = await rows.next();
    if (value === undefined || counts(value, claimedFrom)) return value;
  }
}
