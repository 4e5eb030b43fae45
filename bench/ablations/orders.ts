/** Recorded orders of `../shared/data`, by time: those to learn from, and behind them those that judge. */
import { rowsFrom } from "../../src/learning/common/rows.js";
import { NO_CUSTOMER, type Orders } from "../../src/learning/rank/carts/questions.js";
import { needsSharedData, readCsvGz, sharedData } from "../../test/fixtures/shared-data.js";

export interface RecordedOrders {
  readonly orders: Orders;
  /** Row of the first order that judges. */
  readonly judgedFrom: number;
  readonly productCount: number;
}

interface Order {
  readonly id: string;
  readonly customer: string;
  readonly at: number;
  readonly items: Set<string>;
}

const DAY_MS = 86_400_000;
/** Of sets that are not cut the newest orders judge. */
const JUDGED_SHARE = 0.1;

/** Each set, its folder, and how it is read. */
const SETS = {
  online_retail: { folder: ["behaviour", "online_retail"], read: readParts },
  complete_journey: { folder: ["baskets", "complete_journey_sample"], read: readBaskets },
  groceries: { folder: ["baskets", "groceries"], read: readReceipts },
} as const;

export const ORDER_SETS: readonly string[] = Object.keys(SETS);

const isSet = (name: string): name is keyof typeof SETS => Object.hasOwn(SETS, name);

/** Undefined when the set is not there. */
export function readOrders(name: string): RecordedOrders | undefined {
  if (!isSet(name)) return undefined;
  const { folder, read } = SETS[name];
  if (!needsSharedData(...folder)) return undefined;
  const { learned, judged } = read((file) => readCsvGz(sharedData(...folder, file) ?? ""));
  const numbers = new Map<string, number>();
  for (const { items } of learned) for (const item of items) if (!numbers.has(item)) numbers.set(item, numbers.size);
  const customers = new Map<string, number>();
  const customerOf = (customer: string) => {
    if (customer === "") return NO_CUSTOMER;
    if (!customers.has(customer)) customers.set(customer, customers.size);
    return customers.get(customer) ?? NO_CUSTOMER;
  };
  const all = [...learned, ...judged];
  const known = (items: Set<string>) => [...items].flatMap((item) => numbers.get(item) ?? []);
  return {
    orders: {
      baskets: rowsFrom(all.map(({ items }) => known(items))),
      at: Float64Array.from(all, ({ at }) => at),
      customers: Uint32Array.from(all, ({ customer }) => customerOf(customer)),
    },
    judgedFrom: learned.length,
    productCount: numbers.size,
  };
}

type Read = (file: string) => Record<string, string>[];

interface Parted {
  readonly learned: readonly Order[];
  readonly judged: readonly Order[];
}

function readParts(read: Read): Parted {
  const ordersOf = (file: string) =>
    byTime(
      gathered(
        read(file).map(({ invoice = "", item = "", customer = "", ts = "" }) => {
          return { id: invoice, item, customer, at: Date.parse(ts) };
        }),
      ),
    );
  return { learned: ordersOf("train.csv.gz"), judged: ordersOf("dev.csv.gz") };
}

function readBaskets(read: Read): Parted {
  const infos = new Map(read("basket_info.csv.gz").map((info) => [info.basket_id, info]));
  const lines = read("baskets.csv.gz").map(({ basket_id: id = "", item_id: item = "" }) => {
    const { customer_id: customer = "", time = "" } = infos.get(id) ?? {};
    return { id, item, customer, at: Date.parse(`${time.replace(" ", "T")}Z`) };
  });
  return parted(byTime(gathered(lines)));
}

/** Receipts of thirty days without times: they follow each other evenly. */
function readReceipts(read: Read): Parted {
  const lines = read("baskets.csv.gz").map(({ basket_id: id = "", item_id: item = "" }) => {
    return { id, item, customer: "", at: 0 };
  });
  const orders = gathered(lines);
  return parted(orders.map((order, row) => ({ ...order, at: (row * 30 * DAY_MS) / orders.length })));
}

function parted(orders: readonly Order[]): Parted {
  const from = orders.length - Math.floor(orders.length * JUDGED_SHARE);
  return { learned: orders.slice(0, from), judged: orders.slice(from) };
}

function gathered(lines: readonly (Omit<Order, "items"> & { readonly item: string })[]): Order[] {
  const orders = new Map<string, Order>();
  for (const { item, ...order } of lines) {
    const found = orders.get(order.id) ?? { ...order, items: new Set() };
    orders.set(order.id, found);
    found.items.add(item);
  }
  return [...orders.values()];
}

function byTime(orders: Order[]): Order[] {
  return orders.sort((a, b) => a.at - b.at);
}
