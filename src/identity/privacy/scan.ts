import { setImmediate } from "node:timers/promises";
import type { CopiedRecords, CopiedRow, CopiedTable, Copies } from "../../store/ports/copies.js";

/** Rows read at a time: some ten milliseconds of work. */
export const ROWS_AT_ONCE = 1000;

/** Reads the rows of a table after `from` in batches; other work runs between two of them. */
export async function* rowsOf<N extends CopiedTable>(
  copies: Pick<Copies, "scan">,
  appId: string,
  table: N,
  from = "",
): AsyncGenerator<readonly CopiedRow<CopiedRecords[N]>[]> {
  for (let after = from; ; ) {
    const rows = await copies.scan(appId, table, after, ROWS_AT_ONCE);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < ROWS_AT_ONCE) return;
    after = last.key;
    await setImmediate();
  }
}

/** The first rows of one history; an owner's id never needs escaping. */
export async function historyRows(copies: Pick<Copies, "scan">, appId: string, historyId: string) {
  const prefix = `${historyId}\0`;
  const rows = await copies.scan(appId, "interactions", prefix, ROWS_AT_ONCE);
  const end = rows.findIndex(({ key }) => !key.startsWith(prefix));
  return end === -1 ? rows : rows.slice(0, end);
}

/** The rows of one history, in batches. */
export async function* historyBatches(copies: Pick<Copies, "scan">, appId: string, historyId: string) {
  const prefix = `${historyId}\0`;
  let rows = await historyRows(copies, appId, historyId);
  while (rows.length > 0) {
    yield rows;
    if (rows.length < ROWS_AT_ONCE) return;
    const more = await copies.scan(appId, "interactions", rows.at(-1)?.key ?? prefix, ROWS_AT_ONCE);
    rows = more.filter(({ key }) => key.startsWith(prefix));
  }
}
