import {
  type Collection,
  type CollectionOptions,
  type Db,
  type Document,
  MongoClient,
  MongoCompatibilityError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTransactionError,
} from "mongodb";
import { DomainError, Unavailable } from "../../domain/errors.js";
import { patchDriver } from "./driver-drain.js";

/** An open database, with the settings that all its users share. */
export interface Connection {
  readonly client: MongoClient;
  readonly db: Db;
  /** One operation that takes longer than this many milliseconds has failed. */
  readonly answerMs: number;
  /** Told of each damaged value that was met, by the name of its table. */
  readonly onDamage: (table: string) => void;
  readonly hasChangeStreams: boolean;
  /** True once the store was closed. */
  closed: boolean;
}

/** Limit of operations on much data at once: scans, files, removal. */
export const LONG_MS = 120_000;

const DEFAULT_DATABASE = "aisle";

const HEARTBEAT_MS = 2000;

/** How long opening waits for a server. */
const OPEN_MS = 5000;

/**
 * Connects; the database is the one the URL names, else `aisle`. Writes are acknowledged by a majority with their journal
 * on disk; reads go to the primary. Rejects with Unavailable, with AddressRefused for an address that the driver does not accept,
 * and with ServerUnsuited for a server without transactions.
 */
export async function connect(
  url: string,
  answerMs: number,
  onDamage: (table: string) => void,
): Promise<{ readonly connection: Connection; readonly server: string }> {
  const client = openClient(url, answerMs);
  try {
    const db = client.db(hasDatabase(url) ? undefined : DEFAULT_DATABASE);
    const opening: Connection = { client, db, answerMs, onDamage, hasChangeStreams: false, closed: false };
    const openMs = Math.max(OPEN_MS, answerMs);
    const description = await asked(opening, () => describeServer(db), openMs);
    await asked(opening, () => mustHaveTransactions(client, db), openMs);
    const hasChangeStreams = await asked(opening, () => offersChangeStreams(db), openMs);
    return { connection: { ...opening, hasChangeStreams }, server: description };
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
  if (error instanceof ServerUnsuited) return error;
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

async function describeServer(db: Db): Promise<string> {
  const hello: Document = await db.admin().command({ hello: 1 });
  const { version }: Document = await db.admin().buildInfo();
  const kind =
    hello.msg === "isdbgrid" ? "sharded cluster" : typeof hello.setName === "string" ? "replica set" : "single server";
  return `MongoDB ${String(version)}, ${kind}`;
}

/** The server lacks what the store needs. */
class ServerUnsuited extends DomainError {}

/** Tries a transaction; throws ServerUnsuited when the server refuses it. */
async function mustHaveTransactions(client: MongoClient, db: Db): Promise<void> {
  const session = client.startSession();
  try {
    session.startTransaction({ readConcern: { level: "snapshot" }, writeConcern: { w: "majority", journal: true } });
    await db.collection("meta").findOne({}, { session });
    await session.commitTransaction();
  } catch (error) {
    const isRefused = error instanceof MongoServerError && !error.hasErrorLabel("TransientTransactionError");
    if (isRefused || error instanceof MongoCompatibilityError || error instanceof MongoTransactionError)
      throw new ServerUnsuited(
        "The MongoDB server has no snapshot transactions: Aisle needs a replica set or a sharded cluster of MongoDB 4.4 or newer",
        { cause: error },
      );
    throw error;
  } finally {
    await session.endSession();
  }
}

async function offersChangeStreams(db: Db): Promise<boolean> {
  try {
    const pipeline = [{ $changeStream: {} }];
    const { cursor }: Document = await db.command({ aggregate: "news", pipeline, cursor: { batchSize: 0 } });
    await db.command({ killCursors: "news", cursors: [cursor.id] });
    return true;
  } catch (error) {
    if (error instanceof MongoServerError) return false;
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
  try {
    return await answered(connection, ask, limitMs);
  } catch (error) {
    throw unavailable(error);
  }
}

/** The same, with the driver's error as it is. */
export async function answered<T>(
  connection: Connection,
  ask: () => Promise<T>,
  limitMs = connection.answerMs,
): Promise<T> {
  if (connection.closed) throw new Unavailable("The store is closed");
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(limitMs)), limitMs);
  });
  try {
    return await Promise.race([ask(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The server did not answer in time. */
export class NoAnswer extends Unavailable {
  constructor(limitMs: number) {
    super(`The store did not answer within ${Math.round(limitMs)} ms`);
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

/** A collection whose documents have text for their `_id`. */
export function collectionOf<T extends { readonly _id: string }>(
  { db }: Connection,
  name: string,
  options: CollectionOptions = {},
): Collection<T> {
  return db.collection<T>(name, options);
}
