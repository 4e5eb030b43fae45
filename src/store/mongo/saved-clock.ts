import type { Document } from "mongodb";
import type { Clock, ClockMark } from "../../domain/clock.js";
import { asked, type Connection, collectionOf } from "./connection.js";

interface ClockDocument extends Partial<ClockMark> {
  readonly _id: string;
}

const CLOCK_ID = "clock";
/** How old a note is at most when its server ends: three rounds of upkeep in which it is made. */
const UNMARKED_MS = 15_000;

/** Lets the clock begin where the store's servers are, or were. The database's own clock is asked, too. */
export async function resumeClock(connection: Connection, clock: Clock): Promise<void> {
  const mark = (await savedMark(connection)) ?? (await lastReady(connection));
  const there = await timeOf(connection);
  if (mark !== undefined) clock.resume(mark, there === undefined ? [] : [there], UNMARKED_MS);
}

/** Notes the clock and learns what other servers have noted. */
export async function noteClock(connection: Connection, clock: Clock): Promise<void> {
  const kept = await savedMark(connection);
  if (kept !== undefined) clock.learn(kept);
  const there = await timeOf(connection);
  if (there !== undefined) clock.hear(there);
  const notes = collectionOf<ClockDocument>(connection, "meta");
  await asked(connection, () => notes.updateOne({ _id: CLOCK_ID }, { $set: clock.mark() }, { upsert: true }));
}

export async function savedMark(connection: Connection): Promise<ClockMark | undefined> {
  const notes = collectionOf<ClockDocument>(connection, "meta");
  const { at, goodAt, livedAt, idAt } = (await asked(connection, () => notes.findOne({ _id: CLOCK_ID }))) ?? {};
  if (at === undefined || goodAt === undefined || livedAt === undefined || idAt === undefined) return undefined;
  return { at, goodAt, livedAt, idAt };
}

/** A store from before the clock was noted: when one of its servers last looked whether it takes writes. */
async function lastReady(connection: Connection): Promise<ClockMark | undefined> {
  const meta = collectionOf<{ readonly _id: string; readonly at?: number }>(connection, "meta");
  const at = (await asked(connection, () => meta.findOne({ _id: "ready" })))?.at;
  return at === undefined ? undefined : { at, goodAt: at, livedAt: at, idAt: at };
}

/** The time by the database's clock, which may be that of the same machine; undefined where it does not say. */
async function timeOf(connection: Connection): Promise<number | undefined> {
  const hello: Document = await asked(connection, () => connection.db.admin().command({ hello: 1 }));
  return hello.localTime instanceof Date ? hello.localTime.getTime() : undefined;
}
