/** The baselines of the leaderboard: a row each. They learn from the same file as every server. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { type Rows, rowOf, rowsFrom } from "../../src/learning/common/rows.js";
import { createTopK } from "../../src/learning/common/top-k.js";
import {
  BASELINES,
  type BaselineData,
  boughtBeforeRanking,
  popularityRanking,
} from "../../src/learning/evaluation/baselines.js";
import { popularity } from "../../src/learning/sources/popularity/popularity.js";
import { fitSessionNeighbours } from "../../src/learning/sources/sessions/session-neighbours.js";
import { chooseSessionParams } from "../../src/learning/sources/sessions/session-tuning.js";
import type { RecommendCall } from "./protocol.js";
import { fitTifuKnn, type OrderHistory } from "./tifu-knn.js";

/** What a baseline learns from: products as indices. */
interface Learned {
  readonly products: readonly string[];
  readonly indexOf: ReadonlyMap<string, number>;
  /** Visits or orders by the time of their end. */
  readonly rows: Rows;
  readonly endedAt: Float64Array;
  /** Of each row of orders; "" for a guest. */
  readonly customers: readonly string[];
}

/** `items`: known products of the history, oldest first; `orders`: the same by order. */
type Answer = (items: Uint32Array, count: number, orders: OrderHistory) => ArrayLike<number>;

interface Baseline {
  readonly label: string;
  /** Data that it is made for: visits have an order, orders of customers come again. */
  readonly of: "all" | "visits" | "customers";
  readonly fit: (learned: Learned, ordered: boolean) => Answer;
}

const fromTable =
  (name: keyof typeof BASELINES): Baseline["fit"] =>
  (learned, ordered) => {
    const ranking = BASELINES[name](dataOf(learned, name === "vstan" || name === "slist"), ordered);
    if (ranking === undefined) throw new Error(`${name} does not apply to this data`);
    return (items, count) => ranking.answer({ items }, count);
  };

/** By the name that `--only` takes. */
export const ROWS: Readonly<Record<string, Baseline>> = {
  popularity: { label: "popularity", of: "all", fit: fromTable("popularity") },
  bought_before: {
    label: "bought before",
    of: "customers",
    fit: (learned) => {
      const ranking = boughtBeforeRanking(popularityRanking(dataOf(learned, false)));
      return (items, count) => ranking.answer({ items }, count);
    },
  },
  item_knn: { label: "item kNN", of: "all", fit: fromTable("item_knn") },
  vstan: { label: "VSTAN", of: "visits", fit: fromTable("vstan") },
  slist: { label: "SLIST", of: "visits", fit: fromTable("slist") },
  ease: { label: "EASE^R", of: "all", fit: fromTable("ease") },
  tifu_knn: { label: "TIFU-kNN", of: "customers", fit: tifuKnn },
};

function tifuKnn({ products, rows, customers }: Learned): Answer {
  const histories = new Map<string, Set<number>[]>();
  for (const [r, customer] of customers.entries()) {
    if (customer === "") continue;
    const orders = histories.get(customer) ?? [];
    histories.set(customer, orders);
    orders.push(new Set(rowOf(rows, r)));
  }
  const score = fitTifuKnn([...histories.values()], products.length);
  const top = createTopK();
  return (_items, count, orders) => {
    top.reset(count);
    for (const [product, value] of score(orders).entries()) if (value > 0) top.offer(product, value);
    return top.take().indices;
  };
}

/** Fits a row to a file as `POST /train` names it. */
export async function fitBaseline(row: string, events: string): Promise<(call: RecommendCall) => string[]> {
  const { learned, ordered } = await learnedFrom(events);
  const answer = ROWS[row]!.fit(learned, ordered);
  return ({ history, repeats, count }) => {
    const known = history.map(({ product }) => learned.indexOf.get(product)).filter((index) => index !== undefined);
    const excluded = new Set(repeats ? [] : known);
    const byOrder = new Map<string, Set<number>>();
    for (const { product, time } of history) {
      const index = learned.indexOf.get(product);
      if (index !== undefined) byOrder.set(time, (byOrder.get(time) ?? new Set<number>()).add(index));
    }
    return Array.from(answer(Uint32Array.from(known), count + excluded.size, [...byOrder.values()]))
      .filter((index) => !excluded.has(index))
      .slice(0, count)
      .map((index) => learned.products[index]!);
  };
}

async function learnedFrom(events: string): Promise<{ learned: Learned; ordered: boolean }> {
  const rowsByName = new Map<string, { items: number[]; endedAt: number; customer: string }>();
  const indexOf = new Map<string, number>();
  let ordered = true;
  let isHead = true;
  for await (const line of createInterface({ input: createReadStream(events) })) {
    const [visitor = "", , product = "", timestamp = "", order = ""] = line.split(",");
    if (isHead || product === "") {
      isHead = false;
      continue;
    }
    if (order !== "") ordered = false;
    const name = order || visitor;
    const index = indexOf.get(product) ?? indexOf.size;
    indexOf.set(product, index);
    const row = rowsByName.get(name) ?? { items: [], endedAt: 0, customer: visitor };
    rowsByName.set(name, row);
    row.items.push(index);
    row.endedAt = Math.max(row.endedAt, Date.parse(timestamp));
  }
  const inTime = [...rowsByName.values()].sort((a, b) => a.endedAt - b.endedAt);
  const learned = {
    products: [...indexOf.keys()],
    indexOf,
    rows: rowsFrom(inTime.map(({ items }) => items)),
    endedAt: Float64Array.from(inTime, ({ endedAt }) => endedAt),
    customers: inTime.map(({ customer }) => customer),
  };
  return { learned, ordered };
}

function dataOf({ products, rows, endedAt }: Learned, needsSessions: boolean): BaselineData {
  const productCount = products.length;
  const meetings = {
    productIndices: rows.items,
    at: new Float64Array(rows.items.length),
    weights: new Float32Array(rows.items.length).fill(1),
  };
  const counts = popularity(meetings, productCount, { cutOff: 0, halfLifeMs: Number.POSITIVE_INFINITY });
  const input = { sessions: rows, endedAt };
  return {
    rows,
    endedAt,
    productCount,
    popularity: counts,
    byPopularity: Uint32Array.from(counts.keys()).sort((a, b) => counts[b]! - counts[a]! || a - b),
    sessions: needsSessions
      ? fitSessionNeighbours(input, productCount, chooseSessionParams(input, productCount).params)
      : undefined,
  };
}
