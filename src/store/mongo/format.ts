import { setTimeout as pause } from "node:timers/promises";
import { DataDamaged, DomainError, Unavailable } from "../../domain/errors.js";
import { asked, type Connection, collectionOf, isDuplicate } from "./connection.js";
import { mendContactKeys } from "./contact-keys.js";
import { repairProducts } from "./repair-products.js";

/**
 * Upgrades a store from the previous format to `to`, while other servers wait. An earlier run may have been interrupted
 * anywhere, and may still write after this one has finished. Each write must therefore match only the earlier format.
 */
export interface Upgrade {
  readonly to: number;
  run(connection: Connection, newId: () => string): Promise<void>;
}

/** In order, without gaps. Another step makes a new format. */
const UPGRADES: readonly Upgrade[] = [
  // The store has a name. The collection of copies is made by its first write.
  { to: 2, run: async (connection, newId) => void (await storeId(connection, newId)) },
  // There are rejected events, which an older Aisle would leave behind when it removes an app.
  { to: 3, run: async () => undefined },
  // There are heads of ledgers, and erasures; entries from before stay outside of the chain.
  { to: 4, run: async () => undefined },
  // Products that too few visitors have sent are outside the catalogue, and no learned product has the SKU of another.
  { to: 5, run: repairProducts },
  // Phones have the `+` that their index has.
  { to: 6, run: async (connection) => void (await mendContactKeys(connection)) },
  // Secrets may be sealed, and an app's secrets hold those that its servers sign with.
  { to: 7, run: async () => undefined },
  // The embedded store has another layout of frames; the numbers of both stores stay the same.
  { to: 8, run: async () => undefined },
];

/** The number of the layout of keys and documents. It grows when an older Aisle could not read what a newer one writes. */
export const FORMAT_NUMBER = 8;

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

/** A server's claim to upgrade the store. Claims are numbered from 0; a new claim replaces one whose holder is gone. */
interface ClaimDocument {
  readonly _id: string;
  readonly claim: number;
  /** Heartbeat: changes while the holder is at work. */
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
    for (let at = found; at < supported; at++) {
      if (!upgrades.some(({ to }) => to === at + 1)) throw unsupported(found, supported, "it cannot be upgraded");
    }
    await upgradeInTurn(connection, supported, { ...options, upgrades });
  }
  const id = await storeIdOf(connection);
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

/** A new store gets its name first: when it has a number it is complete. */
async function formatOrNew(connection: Connection, supported: number, { newId }: FormatOptions): Promise<number> {
  const found = await formatOf(connection);
  if (found !== undefined) return found;
  if (supported > 1) await storeId(connection, newId);
  await insertOnce(connection, { _id: FORMAT_ID, number: supported });
  return (await formatOf(connection)) ?? supported;
}

async function storeId(connection: Connection, newId: () => string): Promise<string> {
  await insertOnce(connection, { _id: STORE_ID, id: newId() });
  return (await storeIdOf(connection)) ?? "";
}

async function storeIdOf(connection: Connection): Promise<string | undefined> {
  const meta = collectionOf<StoreIdDocument>(connection, "meta");
  const found = await asked(connection, () => meta.findOne({ _id: STORE_ID }));
  return typeof found?.id === "string" ? found.id : undefined;
}

/**
 * The claim with the greatest number holds. Only inserts decide (see `Commits`), so a claim whose holder shows no life
 * is not taken over but followed by one with the next number; its late holder, if it lives, sees that and stops.
 */
async function upgradeInTurn(
  connection: Connection,
  supported: number,
  options: FormatOptions & { readonly upgrades: readonly Upgrade[] },
): Promise<void> {
  const claims = collectionOf<ClaimDocument>(connection, "meta");
  const { beatMs = BEAT_MS, log } = options;
  const newest = () => asked(connection, () => claims.find({ claim: { $gte: 0 } }).toArray()).then(last);
  let seen = { claim: -1, beat: -1, times: 0 };
  for (let isTold = false; (await formatOf(connection)) !== supported; await pause(beatMs)) {
    const other = await newest();
    if (other !== undefined) {
      const isSame = other.claim === seen.claim && other.beat === seen.beat;
      seen = { claim: other.claim, beat: other.beat, times: isSame ? seen.times + 1 : 0 };
      if (!isTold) log("Another server upgrades the store; waiting for it");
      isTold = true;
      if (seen.times < 10) continue;
    }
    const claim = (other?.claim ?? -1) + 1;
    if (!(await insertOnce(connection, { _id: `${CLAIM}\0${claim}`, claim, beat: 0 }))) continue;
    await upgradeAll(connection, supported, claim, options, async () => ((await newest())?.claim ?? claim) === claim);
    await asked(connection, () => claims.deleteMany({ claim: { $gte: 0, $lte: claim } }));
    return;
  }
}

/** Runs the steps as the holder of a claim. Rejects with Unavailable when the claim was followed by another. */
async function upgradeAll(
  connection: Connection,
  supported: number,
  claim: number,
  { upgrades, log, newId, beatMs = BEAT_MS }: FormatOptions & { readonly upgrades: readonly Upgrade[] },
  holds: () => Promise<boolean>,
): Promise<void> {
  const claims = collectionOf<ClaimDocument>(connection, "meta");
  const formats = collectionOf<FormatDocument>(connection, "meta");
  const beating = setInterval(() => {
    // the next beat makes up for it
    void claims.updateOne({ _id: `${CLAIM}\0${claim}` }, { $inc: { beat: 1 } }).catch(() => undefined);
  }, beatMs);
  try {
    for (let at = (await formatOf(connection)) ?? supported; at < supported; at++) {
      const upgrade = upgrades.find(({ to }) => to === at + 1);
      if (upgrade === undefined) throw unsupported(at, supported, "it cannot be upgraded");
      await upgrade.run(connection, newId);
      if (!(await holds())) throw new Unavailable("Another server took over the upgrade of the store");
      await asked(connection, () => formats.updateOne({ _id: FORMAT_ID, number: at }, { $set: { number: at + 1 } }));
      log(`The store was upgraded from format ${at} to format ${at + 1}`);
    }
  } finally {
    clearInterval(beating);
  }
}

function last(claims: readonly ClaimDocument[]): ClaimDocument | undefined {
  return [...claims].sort((a, b) => a.claim - b.claim).at(-1);
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
