/** The commands that a driver sends to a primary, over `Storage` and `Replication`. */
import { Binary, BSON, type Document, Int32, Long, ObjectId, Timestamp } from "mongodb";
import { matches } from "./filter.js";
import type { Replication } from "./replication.js";
import {
  type Change,
  type Collection,
  CommandError,
  duplicate,
  HeldBy,
  type Storage,
  type Time,
  Transaction,
  type UniqueIndex,
} from "./storage.js";
import { isOperators, seedOf, updated } from "./update.js";
import { compare, isDocument, keyOf, numberOf, valueAt } from "./values.js";

/** Values that a real server bounds, too. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const MAX_BATCH_BYTES = MAX_DOCUMENT_BYTES - 16 * 1024;
const FIRST_BATCH = 101;
const AWAIT_MS = 1000;
const PRUNE_EVERY = 1000;

const BUILD = { version: "7.0.0", versionArray: [7, 0, 0, 0], maxBsonObjectSize: MAX_DOCUMENT_BYTES };

interface Cursor {
  readonly namespace: string;
  rest: Document[];
  /** A change stream: the changes after this time, as they come. */
  stream?: { after: Time; readonly pipeline: readonly Document[] };
}

interface Session {
  number: number;
  transaction: Transaction | undefined;
  /** "committed" or "aborted", so that a repeated command is answered as the first one was. */
  ended: string;
}

/** Where a command runs: the documents it sees, and how it writes. */
interface Context {
  readonly at: Time | Transaction;
  readonly session: Session | undefined;
}

export class Commands {
  private readonly cursors = new Map<string, Cursor>();
  private readonly sessions = new Map<string, Session>();
  /** Outcomes of retryable writes by session, number and place. */
  private nextCursor = 1;
  private prunedAt = 0;
  private readonly known: Readonly<Record<string, (body: Document, context: Context) => unknown>>;

  constructor(
    private readonly storage: Storage,
    private readonly replication: Replication,
  ) {
    this.known = {
      ping: () => ({}),
      buildInfo: () => BUILD,
      buildinfo: () => BUILD,
      endSessions: () => ({}),
      saslStart: () => refuseUser(),
      killCursors: (body) => this.killCursors(body),
      getMore: (body) => this.getMore(body),
      find: (body, context) => this.find(body, context),
      aggregate: (body, context) => this.aggregate(body, context),
      count: (body, context) => ({ n: [...this.matching(body, body.query ?? {}, context)].length }),
      insert: (body, context) =>
        this.write(body, body.documents, context, (one, tx) => this.insert(body, one, tx, context)),
      update: (body, context) =>
        this.write(body, body.updates, context, (one, tx) => this.update(body, one, tx, context)),
      delete: (body, context) =>
        this.write(body, body.deletes, context, (one, tx) => this.remove(body, one, tx, context)),
      findAndModify: (body, context) => this.findAndModify(body, context),
      createIndexes: (body) => this.createIndexes(body),
      dropIndexes: (body) => this.dropIndex(body),
      distinct: (body, context) => ({ values: this.distinct(body, context) }),
      listIndexes: (body) => this.listIndexes(body),
      listCollections: (body) => this.listCollections(body),
      create: (body) => void this.storage.collection(namespaceOf(body)),
      drop: (body) => void this.storage.collections.delete(namespaceOf(body)),
      dropDatabase: (body) => this.dropDatabase(body),
      commitTransaction: (body, { session }) => this.end(body, session, "committed"),
      abortTransaction: (body, { session }) => this.end(body, session, "aborted"),
    };
  }

  /** The answer to a command. Rejects with CommandError. */
  async run(body: Document): Promise<Document> {
    const [name = ""] = Object.keys(body);
    const command = this.known[name];
    if (command === undefined) throw new CommandError(59, "CommandNotFound", `no such command: '${name}'`);
    const session = this.sessionOf(body);
    const transaction = isEnd(body) ? undefined : session?.transaction;
    const before = this.storage.now;
    if (before - this.prunedAt > PRUNE_EVERY) {
      this.storage.prune(this.replication.majority);
      this.prunedAt = before;
    }
    const answer = { ...((await command(body, { at: transaction ?? this.timeOf(body), session })) ?? {}) };
    if (transaction === undefined && this.storage.now > before) this.replication.committed();
    return this.acknowledged(body, answer, transaction !== undefined);
  }

  /** Waits until as many members have the writes as the command asks for. */
  private async acknowledged(body: Document, answer: Document, isInTransaction: boolean): Promise<Document> {
    const { w, wtimeout } = body.writeConcern ?? {};
    const at = this.storage.now;
    if (w === "majority" && !isInTransaction) {
      const limitMs = wtimeout === undefined ? undefined : numberOf(wtimeout);
      if (!(await this.replication.hasMajority(at, limitMs)))
        return {
          ...answer,
          writeConcernError: { code: 64, codeName: "WriteConcernFailed", errmsg: "waiting timed out" },
        };
    }
    return { ...answer, operationTime: timestamp(at) };
  }

  private timeOf({ readConcern, writeConcern }: Document): Time {
    return readConcern?.level === "majority" && writeConcern === undefined
      ? this.replication.majority
      : this.storage.now;
  }

  // Sessions and transactions

  private sessionOf(body: Document): Session | undefined {
    if (body.lsid === undefined || body.txnNumber === undefined) return undefined;
    const id = idOf(body.lsid);
    const number = numberOf(body.txnNumber);
    let session = this.sessions.get(id);
    if (session === undefined || number > session.number) {
      if (session?.transaction !== undefined) this.storage.abort(session.transaction);
      session = { number, transaction: undefined, ended: "" };
      this.sessions.set(id, session);
    }
    if (number < session.number) throw new CommandError(225, "TransactionTooOld", "a later transaction has begun");
    if (body.startTransaction === true) session.transaction = this.storage.begin();
    else if (!isEnd(body) && body.autocommit === false && session.transaction?.isOver !== false)
      throw new CommandError(251, "NoSuchTransaction", "there is no such transaction", ["TransientTransactionError"]);
    return session;
  }

  private end({ lsid, txnNumber }: Document, session: Session | undefined, how: "committed" | "aborted"): Document {
    const transaction = session?.transaction;
    // The log knows a committed transaction, so a new primary that has it knows it, too.
    const statement = `${idOf(lsid)}:${numberOf(txnNumber)}:commit`;
    if (how === "committed" && this.storage.statements.has(statement)) return {};
    if (session?.ended === how) return {};
    if (session === undefined || transaction === undefined || transaction.isOver || session.ended !== "")
      throw new CommandError(251, "NoSuchTransaction", "there is no such transaction", ["TransientTransactionError"]);
    if (how === "committed") this.storage.commit(transaction, statement, "committed");
    else this.storage.abort(transaction);
    session.ended = how;
    session.transaction = undefined;
    this.replication.committed();
    return {};
  }

  /** A failover ends all transactions; what the new primary has not is not known to have been committed. */
  forgetSessions(): void {
    this.sessions.clear();
    this.cursors.clear();
  }

  // Reading

  private *matching(body: Document, filter: Document, { at }: Context): Iterable<Document> {
    const collection = this.storage.collections.get(namespaceOf(body));
    if (collection === undefined) return;
    const wanted = keysWanted(filter) ?? (at instanceof Transaction ? undefined : keysBetween(collection, filter));
    if (wanted === undefined) {
      for (const document of this.storage.scan(collection, at)) if (matches(document, filter)) yield document;
      return;
    }
    for (const key of wanted) {
      const document = this.storage.get(collection, key, at);
      if (document !== undefined && matches(document, filter)) yield document;
    }
  }

  private find(body: Document, context: Context): Document {
    const from = numberOf(body.skip ?? 0);
    const limit = numberOf(body.limit ?? 0);
    const end = limit === 0 ? Number.POSITIVE_INFINITY : from + Math.abs(limit);
    const found =
      this.firstById(body, context, end) ??
      sorted([...this.matching(body, body.filter ?? {}, context)], body.sort ?? {});
    const page = found.slice(from, end);
    const projected = page.map((document) => projectionOf(document, body.projection ?? {}));
    return this.cursorOf(namespaceOf(body), projected, body.batchSize, body.singleBatch === true);
  }

  /** The first matching documents of a range of ids, in their order; undefined for any other query. */
  private firstById({ filter = {}, sort = {}, ...body }: Document, { at }: Context, count: number) {
    const collection = this.storage.collections.get(namespaceOf(body));
    const [[path, direction] = [], ...others] = Object.entries(sort);
    if (collection === undefined || at instanceof Transaction || path !== "_id" || others.length > 0) return undefined;
    const range = keysBetween(collection, filter);
    if (range === undefined) return undefined;
    const found: Document[] = [];
    for (const key of numberOf(direction) < 0 ? range.toReversed() : range) {
      if (found.length >= count) break;
      const document = this.storage.get(collection, key, at);
      if (document !== undefined && matches(document, filter)) found.push(document);
    }
    return found;
  }

  private cursorOf(namespace: string, documents: Document[], batchSize: unknown, isSingle = false): Document {
    const size = Math.min(
      batchSize === undefined ? FIRST_BATCH : numberOf(batchSize),
      countWithin(documents, MAX_BATCH_BYTES),
    );
    const firstBatch = documents.slice(0, size);
    const rest = documents.slice(size);
    let id = 0;
    if (rest.length > 0 && !isSingle) {
      id = this.nextCursor++;
      this.cursors.set(String(id), { namespace, rest });
    }
    return { cursor: { firstBatch, id: Long.fromNumber(id), ns: namespace } };
  }

  private async getMore(body: Document): Promise<Document> {
    const id = String(numberOf(body.getMore));
    const cursor = this.cursors.get(id);
    if (cursor === undefined) throw new CommandError(43, "CursorNotFound", "there is no such cursor");
    if (cursor.stream !== undefined) return this.moreChanges(id, cursor, body);
    const size = Math.min(
      body.batchSize === undefined ? cursor.rest.length : numberOf(body.batchSize),
      countWithin(cursor.rest, MAX_BATCH_BYTES),
    );
    const nextBatch = cursor.rest.slice(0, size);
    cursor.rest = cursor.rest.slice(size);
    if (cursor.rest.length === 0) this.cursors.delete(id);
    const left = cursor.rest.length === 0 ? 0 : Number(id);
    return { cursor: { nextBatch, id: Long.fromNumber(left), ns: cursor.namespace } };
  }

  private killCursors(body: Document): Document {
    for (const id of body.cursors) this.cursors.delete(String(numberOf(id)));
    return { cursorsKilled: body.cursors };
  }

  private aggregate(body: Document, context: Context): Document {
    const [first] = body.pipeline;
    if (first?.$changeStream !== undefined) return this.openChangeStream(body);
    let documents = [...this.matching(body, {}, context)];
    for (const stage of body.pipeline) documents = staged(documents, stage);
    return this.cursorOf(namespaceOf(body), documents, body.cursor?.batchSize);
  }

  // Change streams

  private openChangeStream(body: Document): Document {
    const [{ $changeStream: options }, ...pipeline] = body.pipeline;
    const resumed = options.resumeAfter ?? options.startAfter;
    const after = resumed === undefined ? this.replication.majority : Number(resumed._data);
    const id = this.nextCursor++;
    const namespace = namespaceOf(body);
    this.cursors.set(String(id), { namespace, rest: [], stream: { after, pipeline } });
    const postBatchResumeToken = { _data: String(after) };
    return { cursor: { firstBatch: [], id: Long.fromNumber(id), ns: namespace, postBatchResumeToken } };
  }

  private async moreChanges(id: string, cursor: Cursor, body: Document): Promise<Document> {
    const stream = cursor.stream!;
    const until = Date.now() + numberOf(body.maxTimeMS ?? AWAIT_MS);
    let nextBatch: Document[] = [];
    for (;;) {
      const to = this.replication.majority;
      const { log } = this.storage;
      for (let n = log.findLastIndex(({ at }) => at <= stream.after) + 1; n < log.length; n++) {
        const entry = log[n]!;
        if (entry.at <= to)
          for (const change of entry.changes)
            if (isWatched(change.namespace, cursor.namespace)) nextBatch.push(changeEvent(change, entry.at));
      }
      stream.after = Math.max(to, stream.after);
      for (const stage of stream.pipeline) nextBatch = staged(nextBatch, stage);
      if (nextBatch.length > 0 || Date.now() >= until || !this.cursors.has(id)) break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const postBatchResumeToken = { _data: String(stream.after) };
    return { cursor: { nextBatch, id: Long.fromNumber(Number(id)), ns: cursor.namespace, postBatchResumeToken } };
  }

  // Writing

  /** Runs the statements of a write, each a transaction of its own unless the command belongs to one. */
  private async write(
    body: Document,
    statements: readonly Document[],
    { session }: Context,
    run: (statement: Document, transaction: Transaction) => Outcome,
  ): Promise<Document> {
    const total: Outcome = { n: 0, nModified: 0, upserted: [] };
    const writeErrors: Document[] = [];
    for (const [index, statement] of statements.entries()) {
      try {
        const outcome = await this.runOne(body, index, statement, session, run);
        total.n += outcome.n;
        total.nModified += outcome.nModified;
        for (const { _id } of outcome.upserted) total.upserted.push({ index, _id });
      } catch (error) {
        if (!(error instanceof CommandError) || error.labels.length > 0) throw error;
        writeErrors.push({ index, code: error.code, errmsg: error.message });
        if (session?.transaction !== undefined) this.abortOf(session);
        if (body.ordered !== false) break;
      }
    }
    return {
      n: total.n,
      ...("updates" in body && { nModified: total.nModified }),
      ...(total.upserted.length > 0 && { upserted: total.upserted }),
      ...(writeErrors.length > 0 && { writeErrors }),
    };
  }

  private async runOne(
    body: Document,
    index: number,
    statement: Document,
    session: Session | undefined,
    run: (statement: Document, transaction: Transaction) => Outcome,
  ): Promise<Outcome> {
    if (session?.transaction !== undefined) {
      try {
        return run(statement, session.transaction);
      } catch (error) {
        if (error instanceof CommandError && error.labels.length > 0) this.abortOf(session);
        throw error;
      }
    }
    const name = session === undefined ? undefined : `${idOf(body.lsid)}:${session.number}:${index}`;
    const earlier = name === undefined ? undefined : this.storage.statements.get(name);
    if (earlier !== undefined) return earlier.outcome as Outcome;
    for (;;) {
      const transaction = this.storage.begin();
      try {
        const outcome = run(statement, transaction);
        this.storage.commit(transaction, name, outcome);
        return outcome;
      } catch (error) {
        this.storage.abort(transaction);
        if (!(error instanceof HeldBy)) throw error;
        await error.transaction.ended;
      }
    }
  }

  private abortOf(session: Session): void {
    if (session.transaction !== undefined) this.storage.abort(session.transaction);
    session.transaction = undefined;
    session.ended = "aborted";
  }

  private insert(body: Document, given: Document, transaction: Transaction, { session }: Context): Outcome {
    const document = given._id === undefined ? { _id: new ObjectId(), ...given } : given;
    mustFit(document);
    const collection = this.storage.collection(namespaceOf(body));
    const key = keyOf(document._id);
    const waits = session?.transaction === undefined;
    const holder = this.storage.holderOf(collection, key);
    if (holder !== undefined && holder !== transaction && waits) throw new HeldBy(holder);
    if (this.storage.get(collection, key, transaction) !== undefined)
      throw duplicate(collection, "_id_", [document._id]);
    this.storage.write(collection, key, document, transaction, waits);
    return { n: 1, nModified: 0, upserted: [] };
  }

  private update(body: Document, statement: Document, transaction: Transaction, { session }: Context): Outcome {
    const { q: filter, u: update, multi = false, upsert = false } = statement;
    const collection = this.storage.collection(namespaceOf(body));
    const waits = session?.transaction === undefined;
    const found = [...this.matching(body, filter, { at: transaction, session })];
    const outcome: Outcome = { n: 0, nModified: 0, upserted: [] };
    for (const before of multi === true ? found : found.slice(0, 1)) {
      const after = updated(before, update, false);
      mustFit(after);
      outcome.n++;
      if (compare(before, after) === 0) continue;
      outcome.nModified++;
      this.storage.write(collection, keyOf(before._id), after, transaction, waits);
    }
    if (found.length > 0 || upsert !== true) return outcome;
    const seed = seedOf(filter);
    const after = isOperators(update) ? updated(seed, update, true) : { _id: seed._id, ...update };
    if (after._id === undefined) after._id = new ObjectId();
    this.insert(body, after, transaction, { at: transaction, session });
    return { n: 1, nModified: 0, upserted: [{ _id: after._id }] };
  }

  private remove(
    body: Document,
    { q: filter, limit }: Document,
    transaction: Transaction,
    { session }: Context,
  ): Outcome {
    const collection = this.storage.collection(namespaceOf(body));
    const found = [...this.matching(body, filter, { at: transaction, session })];
    const removed = numberOf(limit ?? 0) === 0 ? found : found.slice(0, 1);
    for (const { _id } of removed)
      this.storage.write(collection, keyOf(_id), undefined, transaction, session?.transaction === undefined);
    return { n: removed.length, nModified: 0, upserted: [] };
  }

  private async findAndModify(body: Document, context: Context): Promise<Document> {
    let value: Document | null = null;
    const run = (_: Document, transaction: Transaction): Outcome => {
      const seen = { at: transaction, session: context.session };
      const [before] = sorted([...this.matching(body, body.query ?? {}, seen)], body.sort ?? {});
      const q = before === undefined ? body.query : { _id: before._id };
      if (body.remove === true) {
        value = before ?? null;
        return this.remove(body, { q, limit: 1 }, transaction, context);
      }
      const outcome = this.update(body, { q, u: body.update, upsert: body.upsert }, transaction, context);
      const id = before?._id ?? outcome.upserted[0]?._id;
      const after = this.storage.get(this.storage.collection(namespaceOf(body)), keyOf(id), transaction);
      value = (body.new === true ? after : before) ?? null;
      return outcome;
    };
    const outcome = await this.runOne(body, 0, {}, context.session, run);
    return {
      value,
      lastErrorObject: { n: outcome.n, updatedExisting: outcome.n > 0 && outcome.upserted.length === 0 },
    };
  }

  // Collections and indexes

  private createIndexes(body: Document): Document {
    const collection = this.storage.collection(namespaceOf(body));
    for (const { name, key, unique } of body.indexes) {
      const index: UniqueIndex = { name, paths: Object.keys(key), isUnique: unique === true };
      if (!collection.indexes.some((other) => other.name === name)) collection.indexes.push(index);
    }
    return {};
  }

  private dropIndex(body: Document): void {
    const collection = this.storage.collection(namespaceOf(body));
    collection.indexes = collection.indexes.filter(({ name }) => name !== body.index);
  }

  private distinct(body: Document, context: Context): unknown[] {
    const values = new Map<string, unknown>();
    for (const document of this.matching(body, body.query ?? {}, context)) {
      const value = valueAt(document, body.key);
      values.set(keyOf(value), value);
    }
    return [...values.values()];
  }

  private listIndexes(body: Document): Document {
    const collection = this.storage.collections.get(namespaceOf(body));
    if (collection === undefined) throw new CommandError(26, "NamespaceNotFound", "there is no such collection");
    const all = [{ name: "_id_", paths: ["_id"], isUnique: false }, ...collection.indexes];
    const documents = all.map(({ name, paths, isUnique }) => ({
      v: new Int32(2),
      name,
      key: Object.fromEntries(paths.map((path) => [path, new Int32(1)])),
      ...(isUnique && { unique: true }),
    }));
    return this.cursorOf(namespaceOf(body), documents, undefined);
  }

  private listCollections(body: Document): Document {
    const prefix = `${body.$db}.`;
    const names = [...this.storage.collections.keys()].filter((name) => name.startsWith(prefix));
    const documents = names.map((name) => ({ name: name.slice(prefix.length), type: "collection", options: {} }));
    const found = documents.filter((one) => matches(one, body.filter ?? {}));
    return this.cursorOf(`${prefix}$cmd.listCollections`, found, undefined);
  }

  private dropDatabase(body: Document): Document {
    for (const name of this.storage.collections.keys())
      if (name.startsWith(`${body.$db}.`)) this.storage.collections.delete(name);
    return {};
  }
}

function isEnd(body: Document): boolean {
  return "commitTransaction" in body || "abortTransaction" in body;
}

function refuseUser(): never {
  throw new CommandError(18, "AuthenticationFailed", "there are no users");
}

interface Outcome {
  n: number;
  nModified: number;
  readonly upserted: Document[];
}

function namespaceOf(body: Document): string {
  const [name = ""] = Object.keys(body);
  const collection = name === "getMore" ? body.collection : body[name];
  return `${body.$db}.${String(collection)}`;
}

function idOf(lsid: Document): string {
  return lsid.id instanceof Binary ? lsid.id.toString("hex") : String(lsid.id);
}

function timestamp(at: Time): Timestamp {
  return new Timestamp({ t: 1, i: at });
}

function mustFit(document: Document): void {
  if (BSON.calculateObjectSize(document) > MAX_DOCUMENT_BYTES)
    throw new CommandError(10334, "BSONObjectTooLarge", "the document is larger than 16 MiB");
}

/** How many of the documents fit into so many bytes; at least one. */
function countWithin(documents: readonly Document[], bytes: number): number {
  let sum = 0;
  const over = documents.findIndex((document) => {
    sum += BSON.calculateObjectSize(document);
    return sum > bytes;
  });
  return over < 0 ? documents.length : Math.max(1, over);
}

/** Keys of the documents whose `_id` is in the range that a filter names; undefined when it names none. */
function keysBetween(collection: Collection, { _id: condition }: Document): readonly string[] | undefined {
  if (!isDocument(condition) || !isOperators(condition)) return undefined;
  const { $gte, $gt = $gte, $lt, $lte } = condition;
  if (typeof $gt !== "string" || $lte !== undefined || (typeof $lt !== "string" && $lt !== undefined)) return undefined;
  return collection.between(keyOf($gt), $lt === undefined ? "t" : keyOf($lt));
}

/** Keys of the documents a filter names by their `_id`; undefined when it does not. */
function keysWanted({ _id: condition }: Document): string[] | undefined {
  if (condition === undefined) return undefined;
  if (!isDocument(condition) || !isOperators(condition)) return [keyOf(condition)];
  if ("$eq" in condition) return [keyOf(condition.$eq)];
  return "$in" in condition ? [...new Set<string>(condition.$in.map(keyOf))] : undefined;
}

function sorted(documents: Document[], sort: Document): Document[] {
  const order = Object.entries(sort).map(([path, direction]) => ({ path, sign: numberOf(direction) }));
  return documents.sort((a, b) => {
    for (const { path, sign } of order) {
      const difference = compare(valueAt(a, path), valueAt(b, path)) * sign;
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

function projectionOf(document: Document, projection: Document): Document {
  const fields = Object.entries(projection);
  if (fields.length === 0) return document;
  const isShown = (value: unknown) => (typeof value === "boolean" ? value : numberOf(value) !== 0);
  const shown = fields.filter(([, value]) => isShown(value)).map(([path]) => path);
  const hidden = fields.filter(([, value]) => !isShown(value)).map(([path]) => path);
  if (shown.length === 0 || (shown.length === 1 && shown[0] === "_id" && hidden.length > 0)) {
    return Object.fromEntries(Object.entries(document).filter(([field]) => !hidden.includes(field)));
  }
  const found: Document = hidden.includes("_id") ? {} : { _id: document._id };
  for (const path of shown) {
    const value = valueAt(document, path);
    if (value !== undefined) Object.assign(found, nested(path.split("."), value, found));
  }
  return found;
}

function nested([first = "", ...rest]: string[], value: unknown, into: Document): Document {
  return { [first]: rest.length === 0 ? value : { ...(into[first] ?? {}), ...nested(rest, value, into[first] ?? {}) } };
}

/** One stage of an aggregation: those that counting and change streams need. */
function staged(documents: Document[], stage: Document): Document[] {
  const [[name = "", operand] = []] = Object.entries(stage);
  switch (name) {
    case "$match":
      return documents.filter((document) => matches(document, operand));
    case "$project":
      return documents.map((document) => projectionOf(document, operand));
    case "$sort":
      return sorted(documents, operand);
    case "$skip":
      return documents.slice(numberOf(operand));
    case "$limit":
      return documents.slice(0, numberOf(operand));
    case "$group":
      return grouped(documents, operand);
    default:
      throw new CommandError(40324, "Location40324", `the stage ${name} is not known here`);
  }
}

/** Groups by a field or by nothing, with sums of numbers and of fields. */
function grouped(documents: readonly Document[], { _id, ...sums }: Document): Document[] {
  const valueIn = (expression: unknown, document: Document) =>
    typeof expression === "string" && expression.startsWith("$") ? valueAt(document, expression.slice(1)) : expression;
  const groups = new Map<string, Document>();
  for (const document of documents) {
    const id = valueIn(_id, document) ?? null;
    const group = groups.get(keyOf(id)) ?? { _id: id };
    groups.set(keyOf(id), group);
    for (const [field, { $sum: expression }] of Object.entries(sums as Document))
      group[field] = new Int32(numberOf(group[field] ?? 0) + numberOf(valueIn(expression, document) ?? 0));
  }
  return [...groups.values()];
}

function isWatched(namespace: string, watched: string): boolean {
  return watched.endsWith(".1") ? namespace.startsWith(watched.slice(0, -1)) : namespace === watched;
}

function changeEvent({ namespace, document, before }: Change, at: Time): Document {
  const [db = "", ...rest] = namespace.split(".");
  const operationType = document === undefined ? "delete" : before === undefined ? "insert" : "replace";
  return {
    _id: { _data: String(at) },
    operationType,
    clusterTime: timestamp(at),
    ns: { db, coll: rest.join(".") },
    documentKey: { _id: (document ?? before)?._id },
    ...(document !== undefined && { fullDocument: document }),
  };
}
