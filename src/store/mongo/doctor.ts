import { randomUUID } from "node:crypto";
import { type Collection, type Document, MongoServerError } from "mongodb";
import type { Now } from "../../domain/clock.js";
import { DomainError } from "../../domain/errors.js";
import type { Finding } from "../../domain/finding.js";
import { clockFinding } from "../clock-finding.js";
import { type Connection, connect } from "./connection.js";
import { FORMAT_NUMBER, formatOf } from "./format.js";
import { savedMark } from "./saved-clock.js";
import { INDEXES } from "./tables.js";

/** Servers whose clocks differ by more lose the order of what they write at the same time. */
const CLOCK_MS = 2000;

/**
 * Looks at the store in a database and asks the server what it can do: for that it makes a collection of its own and
 * removes it. Servers may go on using the store. Never rejects.
 */
export async function examineMongo(url: string, answerMs: number, now: Now): Promise<Finding[]> {
  let connection: Connection;
  try {
    ({ connection } = await connect(url, answerMs, () => undefined));
  } catch (error) {
    const text = error instanceof DomainError ? error.message : "it cannot be reached";
    return [{ about: "store", state: "problem", text: `MongoDB: ${text}` }];
  }
  const { client, db } = connection;
  try {
    const askedAt = now();
    const hello: Document = await db.admin().command({ hello: 1 });
    const answeredAt = now();
    const isSharded = hello.msg === "isdbgrid";
    const hasSet = typeof hello.setName === "string";
    return [
      await store(connection),
      await server(connection),
      topology(hello),
      clock(hello, askedAt, answeredAt),
      ...(await writtenTimes(connection, answeredAt)),
      ...(await abilities(connection, isSharded || hasSet)),
      ...(await indexes(connection)),
    ];
  } catch (error) {
    return [{ about: "store", state: "problem", text: `MongoDB: ${reason(error)}` }];
  } finally {
    await client.close();
  }
}

async function store(connection: Connection): Promise<Finding> {
  const { db, client } = connection;
  const hosts = client.options.hosts.map(String).join(",");
  const where = `MongoDB, database ${db.databaseName} at ${client.options.srvHost ?? hosts}`;
  const found = await formatOf(connection);
  if (found === undefined)
    return { about: "store", state: "note", text: `${where}: there is none yet; a server makes it` };
  const newest = `this version of Aisle reads format ${FORMAT_NUMBER}`;
  if (found > FORMAT_NUMBER) return { about: "store", state: "problem", text: `${where}, format ${found}: ${newest}` };
  if (found < FORMAT_NUMBER)
    return { about: "store", state: "note", text: `${where}, format ${found}: a server that starts upgrades it` };
  const named = await db.collection<{ readonly _id: string; readonly id?: unknown }>("meta").findOne({ _id: "store" });
  return { about: "store", state: "ok", text: `${where}, format ${found}, id ${String(named?.id)}` };
}

async function server({ db }: Connection): Promise<Finding> {
  const info: Document = await db.admin().buildInfo();
  const name = "ferretdbVersion" in info ? `FerretDB (${String(info.ferretdbVersion)}), as MongoDB` : "MongoDB";
  return { about: "server", state: "ok", text: `${name} ${String(info.version)}` };
}

function topology(hello: Document): Finding {
  const members: unknown[] = Array.isArray(hello.hosts) ? hello.hosts : [];
  if (hello.msg === "isdbgrid") return { about: "topology", state: "ok", text: "sharded cluster" };
  if (typeof hello.setName !== "string") {
    return { about: "topology", state: "note", text: "single server: if its disk fails, acknowledged data is lost" };
  }
  const state = members.length < 3 ? "note" : "ok";
  return { about: "topology", state, text: `replica set of ${members.length} members` };
}

/** The server was read between the two times. */
function clock(hello: Document, askedAt: number, answeredAt: number): Finding {
  if (!(hello.localTime instanceof Date)) {
    return { about: "clock", state: "note", text: "the server does not report its time" };
  }
  const there = hello.localTime.getTime();
  const apart = Math.max(askedAt - there, there - answeredAt, 0);
  const text = `${apart < 1000 ? "less than 1 s" : `${Math.round(apart / 1000)} s`} from that of the server`;
  return { about: "clock", state: apart > CLOCK_MS ? "problem" : "ok", text };
}

/** Only what is wrong with the times that the store's servers noted. */
async function writtenTimes(connection: Connection, now: number): Promise<Finding[]> {
  const { at = 0, idAt = 0 } = (await savedMark(connection)) ?? {};
  const finding = clockFinding(now, { eventAt: 0, commitAt: at, idAt });
  return finding.state === "ok" ? [] : [finding];
}

/** What the server can do, each by trying it. */
async function abilities({ db }: Connection, retries: boolean): Promise<Finding[]> {
  const scratch = db.collection<{ readonly _id: string }>(`doctor_${randomUUID().slice(0, 8)}`);
  const findings: Finding[] = [];
  const attempt = async (about: string, instead: string, run: () => Promise<unknown>) => {
    try {
      await run();
      findings.push({ about, state: "ok", text: "there" });
    } catch (error) {
      findings.push({ about, state: "note", text: `not there (${reason(error)}); ${instead}` });
    }
  };
  try {
    findings.push(await writing(scratch));
    await attempt("change streams", "changes are asked for each second", async () => {
      const cursor = scratch.aggregate([{ $changeStream: {} }], { maxTimeMS: 1000 });
      await cursor.tryNext().finally(() => cursor.close());
    });
    findings.push({
      about: "retries",
      state: retries ? "ok" : "note",
      text: retries ? "the driver retries a write once" : "writes are not retried by the driver on one server",
    });
  } finally {
    // best effort: an empty collection may stay
    await scratch.drop().catch(() => undefined);
  }
  return findings;
}

/** A write as an event's: without it nothing is acknowledged. */
async function writing(scratch: Collection<{ readonly _id: string }>): Promise<Finding> {
  try {
    await scratch.insertOne({ _id: "a" }, { writeConcern: { w: "majority", journal: true } });
    return { about: "write concern", state: "ok", text: "majority and journal: acknowledged" };
  } catch (error) {
    return { about: "write concern", state: "problem", text: `majority and journal: refused (${reason(error)})` };
  }
}

async function indexes({ db }: Connection): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { collection, name, key, purpose } of INDEXES) {
    const there = await db
      .collection(collection)
      .indexes()
      // the collection is not there
      .catch(() => []);
    const same = there.some((index) => index.name === name && JSON.stringify(index.key) === JSON.stringify(key));
    const what = `${collection}.${name} (${Object.keys(key).join(", ")}): ${purpose}`;
    const text = same ? what : `${what}; it is not there, and made by a server that starts`;
    findings.push({ about: "index", state: same ? "ok" : "note", text });
  }
  return findings;
}

/** A server's error text quotes the refused data, so only the error's name is shown. */
function reason(error: unknown): string {
  if (error instanceof MongoServerError) return error.codeName ?? `code ${String(error.code)}`;
  return error instanceof DomainError ? error.message : "no answer";
}
