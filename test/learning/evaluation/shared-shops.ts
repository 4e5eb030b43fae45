/** Cuts of the shared data sets, small enough to be learned and judged in seconds. */
import type { VisitorHistory } from "../../../src/domain/interaction.js";
import type { Product } from "../../../src/domain/product.js";
import { type CatalogueName, readCatalogue } from "../../fixtures/shared-catalogue.js";
import { readCsvGz, readCsvGzEnd } from "../../fixtures/shared-data.js";
import { HOUR, orderOf, product, START, shop, visit } from "./memory-shop.js";

type Shop = ReturnType<typeof shop>;

/** The newest sessions among the last rows; without clock times a session an hour and a step a second. */
export function newestSessions(path: string, rows: number): Shop {
  const sessions = grouped(readCsvGzEnd(path, rows), ({ session = "" }) => session);
  const timed = [...sessions.values()].map((steps, n) =>
    steps
      .map(({ item = "", ts }, i) => ({ item, at: ts ? Math.round(Number(ts) * 1000) : START + n * HOUR + i * 1000 }))
      .sort((a, b) => a.at - b.at),
  );
  const histories = timed.map(
    (steps, n): VisitorHistory => ({
      visitorId: String(n).padStart(6, "0"),
      interactions: steps.map(({ item, at }) => ({ type: "product_view", at, productIds: [item], ref: "" })),
    }),
  );
  return shopOf(histories);
}

/** The first baskets, of no more than eight products each. */
export function firstBaskets(path: string, count: number): Shop {
  const baskets = grouped(readCsvGz(path), ({ basket_id = "" }) => basket_id);
  const some = [...baskets.values()].slice(0, count);
  return shopOf(some.map((rows, n) => orderOf(n, ...rows.slice(0, 8).map(({ item_id = "" }) => item_id))));
}

/** Orders of the last rows by customer, each order of no more than ten products; guests are customers of one order. */
export function customersOrders(path: string, rows: number): Shop {
  const invoices = grouped(readCsvGzEnd(path, rows), ({ invoice = "" }) => invoice);
  const orders = [...invoices.values()].map((lines) => ({
    customer: lines[0]?.customer || `guest of ${lines[0]?.invoice}`,
    at: Date.parse(lines[0]?.ts ?? ""),
    productIds: [...new Set(lines.map(({ item = "" }) => item))].slice(0, 10),
  }));
  const histories = [...grouped(orders, ({ customer }) => customer)].map(
    ([visitorId, own]): VisitorHistory => ({
      visitorId,
      interactions: own
        .sort((a, b) => a.at - b.at)
        .map(({ at, productIds }, n) => ({ type: "order", at, productIds, ref: String(n) })),
    }),
  );
  return shopOf(histories.sort((a, b) => (a.visitorId < b.visitorId ? -1 : 1)));
}

/** Every n-th product of a catalogue, each viewed once by someone. */
export function catalogueShop(name: CatalogueName, step: number): Shop {
  const products = (readCatalogue(name) ?? [])
    .filter((_, n) => n % step === 0)
    .map(({ id, title, description, brand, category, also_view }): Product => {
      const categories = category.map((_, level) => ({
        categoryId: category.slice(0, level + 1).join(" > "),
        name: "",
      }));
      const attributes = also_view.length === 0 ? {} : { also_view: also_view.join(", ") };
      return product(id, { title, description, brand, categories, attributes });
    });
  return viewedOnce(products);
}

/** Every n-th article of a set of baskets as a catalogue of names and categories, each viewed once by someone. */
export function articlesShop(path: string, step: number): Shop {
  const articles = readCsvGz(path).filter((_, n) => n % step === 0);
  return viewedOnce(
    articles.map(({ item_id = "", name = "", department = "", category = "" }) =>
      product(item_id, { title: name, categories: [{ categoryId: `${department} > ${category}`, name: "" }] }),
    ),
  );
}

function viewedOnce(products: readonly Product[]): Shop {
  const visits = products.map(({ productId }, n) => visit(n, productId));
  return shop(products, visits);
}

function shopOf(histories: readonly VisitorHistory[]): Shop {
  const ids = new Set(histories.flatMap(({ interactions }) => interactions.flatMap(({ productIds }) => productIds)));
  return shop(
    [...ids].map((id) => product(id)),
    histories,
  );
}

function grouped<T extends object>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}
