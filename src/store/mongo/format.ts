import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { ClientSession } from "mongodb";
import { DataDamaged, DomainError, Unavailable } from "../../domain/errors.js";
import { asked, type Connection, collectionOf, isDuplicate } from "./connection.js";

/** The right to upgrade the store, which another server may take over when this one shows no sign of life. */
export interface UpgradeClaim {
  /** Keeps the claim within a transaction. Rejects with Unavailable when another server has taken it over. */
  hold(session: ClientSession): Promise<void>;
}

/**
 * Upgrades a store from any format from `from` on to `to`, while other servers wait. It may have been interrupted anywhere.
 * Each of its transactions holds the claim, so that an interrupted upgrade writes nothing after another has finished.
 */
export interface Upgrade {
  readonly from: number;
  readonly to: number;
  run(connection: Connection, found: number, claim: UpgradeClaim): Promise<void>;
}

/** The number of the layout of keys and documents. It grows when an older Aisle could not read what a newer one writes. */
export const FORMAT_NUMBER = 10;

/** In order. */
const UPGRADES: readonly Upgrade[] = [
  // The keys of contacts follow other rules; a server that starts writes them anew, app by app (`identity/rekey-contacts.ts`).
  { from: 9, to: 10, run: async () => undefined },
];

const FORMAT_ID = "format";
const STORE_ID = "store";
const CLAIM = "upgrade";

/** The database holds a store that this version of Aisle cannot read. */
export class FormatUnsupported extends DomainError {}

interface FormatDocument {
  readonly _id: string;
  readonly number: number;
}

interface StoreIdDocument {
  readonly _id: string;
  readonly id: string;
}

interface ClaimDocument {
  readonly _id: string;
  /** The server that upgrades. */
  readonly by: string;
  /** Grows while it is at work. */
  readonly beat: number;
}

export interface FormatOptions {
  readonly log: (line: string) => void;
  readonly readOnly: boolean;
  /** A text not given before, on any server. */
  readonly newId: () => string;
  readonly upgrades?: readonly Upgrade[];
  /** Milliseconds between two signs of life of a server that upgrades; without one for ten times as long it is gone. */
  readonly beatMs?: number;
}

const BEAT_MS = 1000;

/**
 * Gives a new store the newest format and upgrades an older one step by step, with a log line for each step. One server
 * upgrades while the others wait. Refuses newer formats. Returns the store's id.
 */
export async function checkFormat(connection: Connection, options: FormatOptions): Promise<string> {
  const { upgrades = UPGRADES } = options;
  const supported = upgrades.at(-1)?.to ?? FORMAT_NUMBER;
  const found = options.readOnly ? await formatOf(connection) : await formatOrNew(connection, supported, options);
  if (found === undefined) throw new Unavailable("The database holds no store");
  if (found > supported) throw unsupported(found, supported, "use a newer version");
  if (found < supported) {
    if (options.readOnly) throw unsupported(found, supported, "it is upgraded when it is opened for writing");
    pathFrom(found, supported, upgrades);
    await upgradeInTurn(connection, supported, { ...options, upgrades });
  }
  const id = (await storeIdOf(connection)) ?? (options.readOnly ? undefined : await storeId(connection, options.newId));
  if (id === undefined) throw new DataDamaged("The store has lost its id");
  return id;
}

/** The store's format number; undefined where there is no store. */
export async function formatOf(connection: Connection): Promise<number | undefined> {
  const meta = collectionOf<FormatDocument>(connection, "meta");
  const found = await asked(connection, () => meta.findOne({ _id: FORMAT_ID }));
  if (found !== null && typeof found.number !== "number") throw new Unavailable("The store has no format number");
  return found?.number;
}

/** A new store gets its id first: with a number it is complete. */
async function formatOrNew(connection: Connection, supported: number, { newId }: FormatOptions): Promise<number> {
  const found = await formatOf(connection);
  if (found !== undefined) return found;
  await storeId(connection, newId);
  await insertOnce(connection, { _id: FORMAT_ID, number: supported });
  return (await formatOf(connection)) ?? supported;
}

/** Calls `newId` only for a store without an id: an id made before the clock is set from the store may be ahead of later ones. */
async function storeId(connection: Connection, newId: () => string): Promise<string> {
  await insertOnce(connection, { _id: STORE_ID, id: newId() });
  return (await storeIdOf(connection)) ?? "";
}

async function storeIdOf(connection: Connection): Promise<string | undefined> {
  const meta = collectionOf<StoreIdDocument>(connection, "meta");
  const found = await asked(connection, () => meta.findOne({ _id: STORE_ID }));
  return typeof found?.id === "string" ? found.id : undefined;
}

/** The steps from one format to another. Throws FormatUnsupported when there are none. */
function pathFrom(found: number, supported: number, upgrades: readonly Upgrade[]): readonly Upgrade[] {
  const path: Upgrade[] = [];
  for (let at = found; at < supported; ) {
    const next = upgrades.find(({ from, to }) => from <= at && at < to);
    if (next === undefined) throw unsupported(found, supported, "it cannot be upgraded");
    path.push(next);
    at = next.to;
  }
  return path;
}

/** Heartbeats without a change after which a claim is taken over. */
const SILENT_BEATS = 10;

/** Claims the upgrade, or waits until another server has finished it or stopped working on it. */
async function upgradeInTurn(
  connection: Connection,
  supported: number,
  options: FormatOptions & { readonly upgrades: readonly Upgrade[] },
): Promise<void> {
  const claims = collectionOf<ClaimDocument>(connection, "meta");
  const { beatMs = BEAT_MS, log } = options;
  const by = randomUUID();
  let seen = { by: "", beat: -1, times: 0 };
  for (let isTold = false; (await formatOf(connection)) !== supported; await pause(beatMs)) {
    const other = await asked(connection, () => claims.findOne({ _id: CLAIM }));
    if (other !== null) {
      const isSame = other.by === seen.by && other.beat === seen.beat;
      seen = { by: other.by, beat: other.beat, times: isSame ? seen.times + 1 : 0 };
      if (!isTold) log("Another server upgrades the store; waiting for it");
      isTold = true;
      if (seen.times < SILENT_BEATS) continue;
      const silent = { _id: CLAIM, by: other.by, beat: other.beat };
      const taken = await asked(connection, () => claims.updateOne(silent, { $set: { by, beat: 0 } }));
      if (taken.modifiedCount === 0) continue;
    } else if (!(await insertOnce(connection, { _id: CLAIM, by, beat: 0 }))) continue;
    try {
      return await upgradeAll(connection, supported, by, options);
    } finally {
      // without this the next server waits until the claim counts as silent
      await claims.deleteOne({ _id: CLAIM, by }).catch(() => undefined);
    }
  }
}

/** Runs the steps as the holder of the claim. Rejects with Unavailable when another server has taken it over. */
async function upgradeAll(
  connection: Connection,
  supported: number,
  by: string,
  { upgrades, log, beatMs = BEAT_MS }: FormatOptions & { readonly upgrades: readonly Upgrade[] },
): Promise<void> {
  const claims = collectionOf<ClaimDocument>(connection, "meta");
  const formats = collectionOf<FormatDocument>(connection, "meta");
  const claim: UpgradeClaim = {
    hold: async (session) => {
      const held = await claims.updateOne({ _id: CLAIM, by }, { $inc: { beat: 1 } }, { session });
      if (held.matchedCount === 0) throw new Unavailable("Another server took over the upgrade of the store");
    },
  };
  const beating = setInterval(() => {
    // the next beat makes up for it
    void claims.updateOne({ _id: CLAIM, by }, { $inc: { beat: 1 } }).catch(() => undefined);
  }, beatMs);
  try {
    const found = (await formatOf(connection)) ?? supported;
    let at = found;
    for (const { to, run } of pathFrom(found, supported, upgrades)) {
      await run(connection, at, claim);
      await connection.client.withSession((session) =>
        session.withTransaction(async () => {
          await claim.hold(session);
          await formats.updateOne({ _id: FORMAT_ID }, { $set: { number: to } }, { session });
        }),
      );
      log(`The store was upgraded from format ${at} to format ${to}`);
      at = to;
    }
  } finally {
    clearInterval(beating);
  }
}

/** False when there is a document with this `_id` already. */
async function insertOnce<T extends { readonly _id: string }>(connection: Connection, document: T): Promise<boolean> {
  const meta = collectionOf<{ readonly _id: string }>(connection, "meta");
  return asked(connection, async () => {
    try {
      await meta.insertOne(document);
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  });
}

function unsupported(found: number, supported: number, advice: string): FormatUnsupported {
  return new FormatUnsupported(
    `The store has format ${found}; this version of Aisle reads format ${supported}, ${advice}`,
  );
}
