import { BSON, type ClientSession, type Document, MongoError, MongoServerError } from "mongodb";
import type { Connection } from "./connection.js";
import type { EventOrder } from "./event-order.js";
import { MAX_NEWS_PRODUCTS, NEWS } from "./news.js";
import type { Draft } from "./staged-tables.js";
import { RECORDS } from "./table.js";
import type { Tables } from "./tables.js";
import { writerUpdates } from "./writer-documents.js";

/** A record that cannot be stored. */
export class Unstorable extends Error {}

/** Runs a command within the time of its transaction. */
export type Timely = <T>(ask: () => Promise<T>) => Promise<T>;

/** The write commands of one transaction. */
export interface WriteCommands {
  readonly inserts: Document[];
  readonly updates: Document[];
  readonly deletes: Document[];
  readonly news: Document[];
  readonly newsIds: string[];
}

export interface WriteOptions {
  readonly tables: Tables;
  /** A text not given before, on any server. */
  readonly newId: () => string;
  /** The writer document to use. */
  readonly slot: number;
  /** The positions of an app's events that the transaction stores. */
  readonly orderOf: (appId: string) => EventOrder;
  /** Insert records that seem new: it costs the server less than an upsert, and fails when they exist after all. */
  readonly mayInsert: boolean;
}

/** The commands that write the outcome of all drafts. */
export function writeCommandsOf(drafts: readonly Draft[], options: WriteOptions): WriteCommands {
  const { tables, newId, slot, orderOf, mayInsert } = options;
  const commands: WriteCommands = { inserts: [], updates: [], deletes: [], news: [], newsIds: [] };
  const by = newId();
  for (const draft of drafts) {
    const writes = draft.writes();
    if (writes.length === 0 && !draft.changed) continue;
    const products: string[] = [];
    const order = orderOf(draft.appId);
    for (const { table, key, id: _id, document: written, isNew } of writes) {
      const document = table === tables.events.name && written !== undefined ? order.placed(written) : written;
      if (document === undefined) commands.deletes.push({ q: { _id }, limit: 1 });
      else if (isNew && mayInsert) commands.inserts.push(document);
      else commands.updates.push({ q: { _id }, u: document, upsert: true });
      if (table === tables.products.name) products.push(key);
    }
    for (const _id of draft.held()) commands.updates.push({ q: { _id }, u: { $inc: { held: 1 } } });
    commands.updates.push(...writerUpdates(draft, slot, by, order.last));
    if (products.length > 0) addNews(commands, draft.appId, products, newId());
  }
  if (commands.inserts.length >= FEW_INSERTS) return commands;
  const upserts = commands.inserts.map((document) => ({ q: { _id: document._id }, u: document, upsert: true }));
  return { ...commands, inserts: [], updates: [...upserts, ...commands.updates] };
}

/** Fewer new records than this are upserted with the updates: that costs less than another round trip. */
const FEW_INSERTS = 20;

function addNews({ news, newsIds }: WriteCommands, app: string, products: readonly string[], _id: string): void {
  const $set = { app, products: products.length > MAX_NEWS_PRODUCTS ? [] : products };
  newsIds.push(_id);
  news.push({ q: { _id }, u: { $set, $currentDate: { at: true } }, upsert: true });
}

/** Statements in one command. */
const STATEMENTS_AT_ONCE = 5000;

/** Bytes of the statements in one command; the driver's serializer ends at 17 MiB. */
const COMMAND_BYTES = 12_000_000;

/**
 * Sends the commands in a transaction. Rejects with Unstorable, and with the driver's error. Only the commands of a work that `isAlone`
 * are measured and split by bytes: works that are too large together can run apart.
 */
export async function sendWrites(
  connection: Connection,
  session: ClientSession,
  { inserts, updates, deletes, news }: WriteCommands,
  isAlone: boolean,
  timely: Timely,
): Promise<void> {
  const groups: readonly (readonly [string, string, string, readonly Document[]])[] = [
    ["insert", RECORDS, "documents", inserts],
    ["update", RECORDS, "updates", updates],
    ["delete", RECORDS, "deletes", deletes],
    ["update", NEWS, "updates", news],
  ];
  for (const [command, collection, list, statements] of groups) {
    for (const some of isAlone ? withinBytes(statements) : inParts(statements, STATEMENTS_AT_ONCE)) {
      const body = { [command]: collection, [list]: some, ordered: false };
      const answer = await timely(() => serialized(() => connection.db.command(body, { session })));
      const [failed] = Array.isArray(answer.writeErrors) ? answer.writeErrors : [];
      if (failed !== undefined) throw new MongoServerError({ message: "a write failed", code: failed.code });
    }
  }
}

function* inParts<T>(all: readonly T[], size: number): Iterable<readonly T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}

/** Parts that the driver can serialize. */
function* withinBytes(statements: readonly Document[]): Iterable<readonly Document[]> {
  let part: Document[] = [];
  let bytes = 0;
  for (const statement of statements) {
    const size = serializedSize(statement);
    if (part.length > 0 && (bytes + size > COMMAND_BYTES || part.length >= STATEMENTS_AT_ONCE)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(statement);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

function serializedSize(statement: Document): number {
  try {
    return BSON.calculateObjectSize(statement);
  } catch (error) {
    throw new Unstorable("A record cannot be serialized", { cause: error });
  }
}

/** Errors of the driver's serializer and of a server that refuses a document mean that a record cannot be stored. */
async function serialized<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const isRefused = error instanceof MongoServerError && UNSTORABLE_CODES.has(error.code);
    const isOfDriver = error instanceof MongoError && error.name !== "MongoInvalidArgumentError";
    if (isRefused || !isOfDriver) throw new Unstorable("A record cannot be stored", { cause: error });
    throw error;
  }
}

/** BadValue, BSONObjectTooLarge, and the older codes of a document that is too large. */
const UNSTORABLE_CODES: ReadonlySet<unknown> = new Set([2, 10334, 17280, 17419, 17420]);
