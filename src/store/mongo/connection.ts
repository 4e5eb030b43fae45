import {
  type Collection,
  type CollectionOptions,
  type Db,
  type Document,
  MongoClient,
  MongoServerError,
  MongoServerSelectionError,
} from "mongodb";
import { DomainError, Unavailable } from "../../domain/errors.js";
import { patchDriver } from "./driver-drain.js";

/** An open database, and what all who use it share. */
export interface Connection {
  readonly client: MongoClient;
  readonly db: Db;
  /** One operation that takes longer than this many milliseconds has failed. */
  readonly answerMs: number;
  /** Told of each damaged value that was met, by the name of its table. */
  readonly onDamage: (table: string) => void;
  /** The server finds one `_id` by its index, but reads the whole collection for several: each is asked for alone. */
  readonly asksAlone: boolean;
  /** The server checks the filter of an update and writes in one step. FerretDB 1 does both one after the other. */
  readonly hasAtomicUpdates: boolean;
  /** True once the store was closed. */
  closed: boolean;
}

/** Limit of operations on much data at once: scans, files, removal. */
export const LONG_MS = 120_000;

/** What each of many documents of one question adds to its limit, on a slow server that has much else to do. */
const DOCUMENT_MS = 10;

/** Limit of a question about so many documents, or of one of so many questions that are asked at once. */
export function limitOf({ answerMs }: Connection, count: number): number {
  return Math.min(LONG_MS, answerMs + (count - 1) * DOCUMENT_MS);
}

const DEFAULT_DATABASE = "aisle";

const HEARTBEAT_MS = 2000;

/** How long opening waits for a server. */
const OPEN_MS = 5000;

/**
 * Connects; the database is the one the URL names, else `aisle`. Writes are acknowledged by a majority with their journal
 * on disk; reads go to the primary. Rejects with Unavailable, with
 * AddressRefused for an address that the driver does not accept.
 */
export async function connect(
  url: string,
  answerMs: number,
  onDamage: (table: string) => void,
): Promise<{ readonly connection: Connection; readonly server: string }> {
  const client = openClient(url, answerMs);
  try {
    const db = client.db(hasDatabase(url) ? undefined : DEFAULT_DATABASE);
    const shared = { client, db, answerMs, onDamage, closed: false };
    const opening: Connection = { ...shared, asksAlone: false, hasAtomicUpdates: false };
    const openMs = Math.max(OPEN_MS, answerMs);
    const { description, hasAtomicUpdates } = await asked(opening, () => describeServer(db), openMs);
    const asksAlone = await asked(opening, () => scansForMany(db), openMs);
    return { connection: { ...shared, asksAlone, hasAtomicUpdates }, server: description };
  } catch (error) {
    await client.close();
    throw notConnected(error);
  }
}

/** The server answers, but not to this user. */
class AccessRefused extends DomainError {}

/** The address of the store cannot be used as it is. `option` is what of it the driver does not accept, where it says so. */
export class AddressRefused extends DomainError {
  constructor(readonly option: string | undefined) {
    super("The address of the store is no MongoDB URL");
  }
}

/** Codes of servers: authentication failed; not authorized; Atlas's own. */
const REFUSALS: ReadonlySet<unknown> = new Set([18, 13, 8000]);

/** Says what keeps the server from answering: that is what who starts a process wants to know. */
function notConnected(error: unknown): DomainError {
  const { cause } = unavailable(error);
  if (!(cause instanceof Error)) return unavailable(error);
  if ("code" in cause && REFUSALS.has(cause.code)) {
    return new AccessRefused("The MongoDB server refuses the user or the password", { cause });
  }
  const found = cause instanceof MongoServerSelectionError ? [...(cause.reason?.servers.values() ?? [])] : [];
  const why = found.map((server) => server.error?.message).find((text) => text !== undefined) ?? cause.message;
  return new Unavailable(`No MongoDB server answers (${why})`, undefined, { cause });
}

function openClient(url: string, answerMs: number): MongoClient {
  patchDriver();
  try {
    return new MongoClient(url, {
      appName: "aisle",
      writeConcern: { w: "majority", journal: true, wtimeoutMS: answerMs },
      readPreference: "primary",
      // Shorter than the whole question, so that the driver can say what it met.
      serverSelectionTimeoutMS: Math.ceil(answerMs * 0.8),
      waitQueueTimeoutMS: answerMs,
      // A server that is silent is found out by the driver's own questions; then calls on their way are given up.
      connectTimeoutMS: HEARTBEAT_MS,
      heartbeatFrequencyMS: HEARTBEAT_MS,
      maxPoolSize: 32,
    });
  } catch (error) {
    // The driver quotes parts of the address, and they may be secret: only the name of an option is taken from its words.
    const said = error instanceof Error ? error.message : "";
    const names = [...url.matchAll(/[?&]([A-Za-z]+)=/g)].map(([, name]) => name);
    throw new AddressRefused(names.find((name) => name !== undefined && said.includes(name)));
  }
}

function hasDatabase(url: string): boolean {
  return /^mongodb(?:\+srv)?:\/\/[^/]+\/[^?]/.test(url);
}

async function describeServer(db: Db): Promise<{ readonly description: string; readonly hasAtomicUpdates: boolean }> {
  const hello: Document = await db.admin().command({ hello: 1 });
  const { version, ferretdbVersion }: Document = await db.admin().buildInfo();
  const kind =
    hello.msg === "isdbgrid" ? "sharded cluster" : typeof hello.setName === "string" ? "replica set" : "single server";
  const retries = kind === "single server" ? "writes are not retried by the driver" : "writes are retried once";
  return {
    description: `MongoDB ${String(version)}, ${kind}, ${retries}`,
    hasAtomicUpdates: ferretdbVersion === undefined,
  };
}

/** What FerretDB 1 says of a query that it reads the whole collection for; other servers do not say this of any. */
async function scansForMany(db: Db): Promise<boolean> {
  try {
    const plan: Document = await db
      .collection<{ readonly _id: string }>("meta")
      .find(withIds(["", "\0"]))
      .explain();
    return plan.filterPushdown === false;
  } catch (error) {
    if (error instanceof MongoServerError) return false; // not every server explains
    throw error;
  }
}

/**
 * The server's answer. Without an answer within `limitMs` it rejects with Unavailable and the driver's error as its cause.
 * A rejected write may still have been made, or be made later.
 */
export async function asked<T>(
  connection: Connection,
  ask: () => Promise<T>,
  limitMs = connection.answerMs,
): Promise<T> {
  if (connection.closed) throw new Unavailable("The store is closed");
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Unavailable(`The store did not answer within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([ask(), late]);
  } catch (error) {
    throw unavailable(error);
  } finally {
    clearTimeout(timer);
  }
}

export function unavailable(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const cause = error instanceof MongoServerError ? withoutValues(error) : error;
  return new Unavailable("The store does not answer or refuses the write", undefined, { cause });
}

/** What a server refuses it quotes, and that may be personal. */
function withoutValues({ name, code }: MongoServerError): Error {
  return Object.assign(new Error(`${name} with code ${String(code)}`), { code });
}

/** A document with this `_id` is there already. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11000;
}

/** The filter for these `_id`s. One alone is asked for directly, which every server finds by its index. */
export function withIds(ids: readonly string[]): { _id: string } | { _id: { $in: readonly string[] } } {
  const [only] = ids;
  return only !== undefined && ids.length === 1 ? { _id: only } : { _id: { $in: ids } };
}

/**
 * Updates in the parts that are sent as one command each. FerretDB 1 has 100 connections to its own database and holds one
 * for each update of a command until the command ends. It hangs for good when commands together need more, so there each
 * update is a command.
 */
export function commandsOf<T>({ hasAtomicUpdates }: Connection, updates: readonly T[]): (readonly T[])[] {
  return hasAtomicUpdates ? [updates] : updates.map((update) => [update]);
}

/** A collection whose documents have text for their `_id`. */
export function collectionOf<T extends { readonly _id: string }>(
  { db }: Connection,
  name: string,
  options: CollectionOptions = {},
): Collection<T> {
  return db.collection<T>(name, options);
}
