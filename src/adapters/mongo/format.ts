import { DomainError, Unavailable } from "../../domain/errors.js";
import { asked, type Connection, collectionOf } from "./connection.js";

/**
 * The number of the layout of keys and documents. It grows when an older Aisle could not read what a newer one writes;
 * each step then gets its upgrade in `UPGRADES`.
 */
export const FORMAT_NUMBER = 1;

/** What turns a store of the format before into the one of the number, by that number. */
export type Upgrades = ReadonlyMap<number, (connection: Connection) => Promise<void>>;

const UPGRADES: Upgrades = new Map();

const FORMAT_ID = "format";

/** The database holds a store that this version of Aisle cannot read. */
export class FormatUnsupported extends DomainError {}

interface FormatDocument {
  readonly _id: string;
  readonly number: number;
}

/** Writes the format number of a new store; upgrades an older one, step by step and with a line for each; refuses others. */
export async function checkFormat(
  connection: Connection,
  log: (line: string) => void,
  supported = FORMAT_NUMBER,
  upgrades = UPGRADES,
): Promise<void> {
  const meta = collectionOf<FormatDocument>(connection, "meta");
  const found = await asked(connection, () =>
    meta.findOneAndUpdate(
      { _id: FORMAT_ID },
      { $setOnInsert: { number: supported } },
      { upsert: true, returnDocument: "after" },
    ),
  );
  if (typeof found?.number !== "number") throw new Unavailable("The store has no format number");
  if (found.number > supported) throw unsupported(found.number, supported, "use a newer version");
  for (let at = found.number; at < supported; at++) {
    const upgrade = upgrades.get(at + 1);
    if (upgrade === undefined) throw unsupported(found.number, supported, "it cannot be upgraded");
    await upgrade(connection);
    await asked(connection, () => meta.updateOne({ _id: FORMAT_ID }, { $set: { number: at + 1 } }));
    log(`The store was upgraded from format ${at} to format ${at + 1}`);
  }
}

function unsupported(found: number, supported: number, advice: string): FormatUnsupported {
  return new FormatUnsupported(
    `The store has format ${found}; this version of Aisle reads format ${supported}, ${advice}`,
  );
}
