/**
 * Recorded visits and orders as gzip CSV: `../shared/data/behaviour`, or others of the same columns, which
 * docs/quality.md tells.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { parse } from "csv-parse";
import { createRandom } from "../../src/learning/common/random.js";

const SEED = 7;
/** Sets without clock times get one: a minute a session, a second a step. */
const BEGIN = Date.UTC(2025, 0, 1);

export interface Step {
  readonly session: number;
  readonly item: string;
  readonly at: number;
  /** Of an order; "" for a guest's. */
  readonly customer?: string;
}

async function* readRows(file: string): AsyncGenerator<Record<string, string>> {
  yield* createReadStream(file)
    .pipe(createGunzip())
    .pipe(parse({ columns: true }));
}

async function* readSteps(file: string): AsyncGenerator<Step> {
  for await (const row of readRows(file)) {
    if (row.invoice !== undefined) {
      const { invoice, item = "", ts = "", customer = "" } = row;
      yield { session: Number(invoice), item, at: Date.parse(ts), customer };
      continue;
    }
    const session = Number(row.session);
    const at =
      row.ts === undefined ? BEGIN + session * 60_000 + Number(row.position) * 1000 : Math.round(Number(row.ts) * 1000);
    yield { session, item: row.item ?? "", at };
  }
}

export async function sessionsOf(file: string): Promise<Step[][]> {
  const sessions = new Map<number, Step[]>();
  for await (const step of readSteps(file)) {
    const session = sessions.get(step.session);
    if (session === undefined) sessions.set(step.session, [step]);
    else session.push(step);
  }
  return [...sessions.values()].map((session) => session.sort((a, b) => a.at - b.at));
}

/** Writes the training part as the command line reads it, and tells how often each product was met. */
export async function writeEvents(from: string, to: string, orders: boolean) {
  const counts = new Map<string, number>();
  async function* lines() {
    yield "visitor,type,product_id,timestamp,order_id\n";
    for await (const { session, item, at, customer = "" } of readSteps(from)) {
      counts.set(item, (counts.get(item) ?? 0) + 1);
      const time = new Date(at).toISOString();
      yield orders ? `${customer},order,${item},${time},${session}\n` : `s${session},product_view,${item},${time},\n`;
    }
  }
  await pipeline(lines, createWriteStream(to));
  return counts;
}

interface Question {
  readonly prefix: readonly Step[];
  readonly next: string;
}

/** Of each order of two known products or more, one line chosen at random is to be found from all the others. */
export function* hiddenLines(
  orders: readonly (readonly Step[])[],
  known: ReadonlyMap<string, number>,
): Generator<Question> {
  const random = createRandom(SEED);
  for (const order of orders) {
    const items = [...new Set(order.map(({ item }) => item))].filter((item) => known.has(item));
    if (items.length < 2) continue;
    const hidden = Math.floor(random() * items.length);
    const now = Date.now();
    const session = order[0]!.session;
    const prefix = items.flatMap((item, i) => (i === hidden ? [] : [{ session, item, at: now - 60_000 + i }]));
    yield { prefix, next: items[hidden]! };
  }
}
