/** Orders with times and customers, cut into what is learned and what is judged, and the questions put to both. */
import { createHash } from "node:crypto";
import type { CartQuestion } from "../src/learning/cart/cart-candidates.js";
import { NO_CUSTOMER, type Orders } from "../src/learning/cart/cart-questions.js";
import { purchasesOf } from "../src/learning/cart/customer-purchases.js";
import { rowsFrom } from "../src/learning/common/rows.js";
import { readCsvGz, sharedData } from "../test/fixtures/shared-data.js";
import type { OrderHistory } from "./tifu-knn.js";

const DAY_MS = 86_400_000;
/** Lines hidden one at a time of each order; each order counts the same. */
const HIDDEN_LINES = 5;
/** Lines of an order from which it is judged apart as well. */
const LONG = 3;

interface Basket {
  readonly id: string;
  readonly at: number;
  readonly customer: string;
  readonly items: Set<string>;
}

export interface Query {
  readonly question: CartQuestion;
  readonly wanted: ReadonlySet<number>;
  /** Never proposed: what is in the cart, or what was bought before. */
  readonly excluded: ReadonlySet<number>;
  /** Orders' weights sum up to 1. */
  readonly weight: number;
  /** Number of the order or customer that is judged. */
  readonly unit: number;
  /** Set when a known customer's next order is asked for. */
  readonly customer?: { readonly number: number; readonly orders: OrderHistory };
}

export interface Task {
  readonly name: string;
  readonly k: number;
  readonly orders: Orders;
  readonly productCount: number;
  readonly cutOff: number;
  readonly protocols: Readonly<Record<string, readonly Query[]>>;
}

/** `slice`: judge on the newest part of what is learned from otherwise, so that choices need no look at the dev part. */
export function tasks(seed: string, slice: boolean): Task[] {
  const found: Task[] = [];
  const train = sharedData("behaviour", "online_retail", "train.csv.gz");
  const dev = sharedData("behaviour", "online_retail", "dev.csv.gz");
  if (train && dev) {
    const columns = { id: "invoice", item: "item", at: "ts", customer: "customer" };
    const learned = basketsOf(train, columns);
    const end = learned.reduce((latest, basket) => Math.max(latest, basket.at), 0);
    const isNew = (basket: Basket) => basket.at > end - 30 * DAY_MS;
    found.push(
      slice
        ? task(
            "online_retail, newest 30 days of train",
            20,
            learned.filter((b) => !isNew(b)),
            learned.filter(isNew),
            seed,
          )
        : task("online_retail", 20, learned, basketsOf(dev, columns), seed),
    );
  }
  const groceries = sharedData("baskets", "groceries", "baskets.csv.gz");
  if (groceries) {
    const all = basketsOf(groceries, { id: "basket_id", item: "item_id" });
    const cut = Math.floor(all.length * 0.8);
    const from = slice ? Math.floor(cut * 0.85) : cut;
    found.push(task("groceries", 10, all.slice(0, from), all.slice(from, slice ? cut : all.length), seed));
  }
  return found;
}

function basketsOf(path: string, columns: { id: string; item: string; at?: string; customer?: string }): Basket[] {
  const found = new Map<string, Basket>();
  for (const row of readCsvGz(path)) {
    const id = row[columns.id] ?? "";
    const basket = found.get(id) ?? {
      id,
      at: columns.at ? Date.parse(row[columns.at] ?? "") : 0,
      customer: columns.customer ? (row[columns.customer] ?? "") : "",
      items: new Set<string>(),
    };
    found.set(id, basket);
    basket.items.add(row[columns.item] ?? "");
  }
  return [...found.values()].sort((a, b) => a.at - b.at);
}

function task(name: string, k: number, train: Basket[], held: Basket[], seed: string): Task {
  const indexOf = new Map<string, number>();
  for (const { items } of train) for (const item of items) if (!indexOf.has(item)) indexOf.set(item, indexOf.size);
  const known = ({ items }: Basket) =>
    [...items].map((item) => indexOf.get(item)).filter((index) => index !== undefined);
  const customers = new Map<string, number>();
  for (const { customer } of train)
    if (customer !== "" && !customers.has(customer)) customers.set(customer, customers.size);
  const judged = held.map(({ id, ...basket }) => ({ id, items: known({ id, ...basket }) }));
  const long = judged.filter(({ items }) => items.length >= LONG);
  return {
    name,
    k,
    orders: {
      baskets: rowsFrom(train.map(known)),
      at: Float64Array.from(train, (basket) => basket.at),
      customers: Uint32Array.from(train, ({ customer }) => customers.get(customer) ?? NO_CUSTOMER),
    },
    productCount: indexOf.size,
    cutOff: train.at(-1)?.at ?? 0,
    protocols: {
      ...completions(
        judged.filter(({ items }) => items.length > 1),
        "",
        seed,
      ),
      ...completions(long, `, orders of ${LONG} lines or more`, seed),
      ...nextOrders(train, held, known, customers),
    },
  };
}

/** What completes orders; each order counts the same. */
function completions(
  orders: readonly { readonly id: string; readonly items: number[] }[],
  which: string,
  seed: string,
): Record<string, Query[]> {
  const hidden: Query[] = [];
  const firstLine: Query[] = [];
  for (const [unit, { id, items }] of orders.entries()) {
    const weight = 1 / orders.length;
    const drawn = drawLines(items.length, `${seed}:${id}`);
    for (const at of drawn) {
      const given = items.filter((_, i) => i !== at);
      hidden.push(query(given, [items[at] ?? 0], weight / drawn.length, unit));
    }
    firstLine.push(query(items.slice(0, 1), items.slice(1), weight, unit));
  }
  return { [`one line hidden${which}`]: hidden, [`after the first line${which}`]: firstLine };
}

/** What known customers order next: new products of the next order, of all later orders, and repeats as well. */
function nextOrders(
  train: Basket[],
  held: Basket[],
  known: (basket: Basket) => number[],
  numbers: ReadonlyMap<string, number>,
): Record<string, Query[]> {
  const earlier = new Map<string, { at: number; products: number[] }[]>();
  for (const basket of train) {
    if (basket.customer === "") continue;
    const orders = earlier.get(basket.customer) ?? [];
    if (orders.length === 0) earlier.set(basket.customer, orders);
    orders.push({ at: basket.at, products: known(basket) });
  }
  const later = new Map<string, { at: number; next: number[]; all: Set<number> }>();
  for (const basket of held) {
    const products = known(basket);
    if (!earlier.has(basket.customer) || products.length === 0) continue;
    const met = later.get(basket.customer);
    if (met) for (const product of products) met.all.add(product);
    else later.set(basket.customer, { at: basket.at, next: products, all: new Set(products) });
  }
  const fresh: Query[] = [];
  const all: Query[] = [];
  const repeats: Query[] = [];
  for (const [id, { at, next, all: afterwards }] of later) {
    const orders = earlier.get(id) ?? [];
    const purchases = purchasesOf(orders, at);
    const customer = { number: numbers.get(id) ?? 0, orders: orders.map(({ products }) => products) };
    const question = { items: purchases.products, purchases };
    const bought = new Set(purchases.products);
    const isNew = (product: number) => !bought.has(product);
    const add = (to: Query[], wanted: number[], excluded: ReadonlySet<number>) => {
      if (wanted.length > 0)
        to.push({ question, wanted: new Set(wanted), excluded, weight: 0, unit: to.length, customer });
    };
    add(fresh, next.filter(isNew), bought);
    add(all, [...afterwards].filter(isNew), bought);
    add(repeats, next, new Set());
  }
  const evenly = (queries: Query[]) => queries.map((each) => ({ ...each, weight: 1 / queries.length }));
  if (later.size === 0) return {};
  return {
    "customer's next order, new products": evenly(fresh),
    "customer's later orders, new products": evenly(all),
    "customer's next order, repeats too": evenly(repeats),
  };
}

function query(given: number[], wanted: number[], weight: number, unit: number): Query {
  const question = { items: Uint32Array.from(given) };
  return { question, wanted: new Set(wanted), excluded: new Set(given), weight, unit };
}

/** Different places of a list, as many as are hidden. */
function drawLines(length: number, seed: string): number[] {
  const bytes = createHash("sha256").update(seed).digest();
  const places = Array.from({ length }, (_, i) => i);
  const count = Math.min(HIDDEN_LINES, length);
  for (let i = 0; i < count; i++) {
    const at = i + (bytes.readUInt32BE(i * 4) % (length - i));
    [places[i], places[at]] = [places[at] ?? 0, places[i] ?? 0];
  }
  return places.slice(0, count);
}
