import type { Now } from "../../domain/clock.js";
import type { Tally, TallyBoard, TallySheet } from "../ports/tally-board.js";
import { list, number, record, text } from "../schema/kinds.js";
import { asked, type Connection, collectionOf } from "./connection.js";

interface SheetDocument {
  readonly _id: string;
  readonly tallies: unknown;
  /** When it was shown, by the clock of the server it is of. */
  readonly at: number;
}

/** A sheet of a server that is gone; clocks may differ by less than this. */
const OLD_MS = 10 * 60 * 1000;

const talliesKind = list(record<Tally>({ key: text, count: text, admitted: number, wanted: number, debt: number }));

/** Each server has one document, which it alone writes: no write has a condition, so that every server can do it. */
export function createTallyBoard(connection: Connection, now: Now): TallyBoard {
  const sheets = collectionOf<SheetDocument>(connection, "tallies");
  // They are worth nothing after a restart of the database.
  const writeConcern = { w: 1, journal: false };
  return {
    exchange: async ({ holder, tallies }) => {
      const own = { tallies: talliesKind.toDocument(tallies), at: now() };
      await asked(connection, () => sheets.replaceOne({ _id: holder }, own, { upsert: true, writeConcern }));
      const found = await asked(connection, () => sheets.find().toArray());
      const old = found.filter(({ at }) => at < now() - OLD_MS);
      if (old.length > 0)
        await asked(connection, () => sheets.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } }, { writeConcern }));
      return found
        .filter(({ _id, at }) => _id !== holder && at >= now() - OLD_MS)
        .map(({ _id, tallies }): TallySheet => ({ holder: _id, tallies: talliesKind.fromDocument(tallies) }));
    },
    leave: async (holder) => {
      await asked(connection, () => sheets.deleteOne({ _id: holder }, { writeConcern }));
    },
  };
}
