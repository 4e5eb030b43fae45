import type { Environment } from "../../../src/store/lmdb/environment.js";
import { erasedAt, noteClock, noteErased, openMeta, savedClock } from "../../../src/store/lmdb/format.js";
import { Table, type TableContext } from "../../../src/store/lmdb/table.js";
import { openTables } from "../../../src/store/lmdb/tables.js";
import type { Disk } from "./disk.js";
import type { Owner } from "./world.js";

/** Where the files of models are, see `files.ts`. */
export const DIRECTORY = "/store";

/** The store's environment over a simulated disk. */
export function simulatedEnvironment(disk: Disk, owner: Owner): Environment {
  const context: TableContext = { onDamage: () => undefined, closed: false, beginRead: () => undefined };
  const meta = openMeta(disk.table("meta", owner), context);
  const transact = (body: () => void) => disk.transact(owner, body);
  const notSimulated = () => {
    throw new Error("This is not simulated");
  };
  return {
    directory: DIRECTORY,
    storeId: "simulated",
    readOnly: false,
    tables: openTables((name, codec) => new Table(name, disk.table(name, owner), codec, context)),
    transact,
    checkFile: () => undefined,
    hold: notSimulated,
    noteErased: (at) => transact(() => noteErased(meta, at)),
    erasedAt: () => erasedAt(meta),
    clock: () => savedClock(meta),
    noteClock: (clock) => noteClock(meta, clock),
    inspect: notSimulated,
    close: async () => {
      context.closed = true;
    },
  };
}
