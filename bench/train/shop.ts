/** A made-up shop as training reads it from a store, of any size, made while it is read. */

import type { InteractionType, VisitorHistory } from "../../src/domain/interaction.js";
import type { Product } from "../../src/domain/product.js";
import { createRandom } from "../../src/learning/common/random.js";
import { bareProduct } from "../../test/fixtures/bare-product.js";

/** Products that are looked at together: as many as a narrow category has. */
const CLUSTER = 100;
/** Steps of a visitor: two sessions of five. */
export const STEPS = 10;
const PER_SESSION = 5;
const BATCH = 500;
const DAY_MS = 86_400_000;
export const END = Date.UTC(2026, 10, 1);
const WORDS =
  "oak lamp blue ceramic vase round linen copper kettle garden winter wool scarf glass silver stone cotton paper candle basket green walnut shelf desk chair brass hook mirror rug velvet".split(
    " ",
  );

export function shopProducts(count: number): Product[] {
  return [...madeProducts(count)];
}

/** As many at a time as from a store, made while they are read. */
export async function* productBatches(count: number, hasTexts = true): AsyncGenerator<readonly Product[]> {
  let batch: Product[] = [];
  for (const product of madeProducts(count)) {
    batch.push(hasTexts ? product : { ...product, title: "", description: "" });
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function* madeProducts(count: number): Generator<Product> {
  const random = createRandom(1);
  // Joined by a buffer: a text of the store is one run of bytes, not a tree of its parts.
  const words = (howMany: number) =>
    Buffer.from(Array.from({ length: howMany }, () => WORDS[Math.floor(random() * WORDS.length)]).join(" ")).toString();
  for (let n = 0; n < count; n++) {
    const cluster = Math.floor(n / CLUSTER);
    yield bareProduct(productId(n), {
      title: `${words(4)} ${n}`,
      description: words(40),
      categories: [
        { categoryId: String(cluster % 20), name: WORDS[cluster % 20] ?? "" },
        { categoryId: `c${cluster}`, name: `${WORDS[cluster % WORDS.length]} ${cluster}` },
      ],
      brand: WORDS[(n * 7) % WORDS.length] ?? "",
      price: { amount: `${5 + (n % 200)}.90`, currency: "EUR" },
      updatedAt: END,
    });
  }
}

/** Ids of one length, so that their order is that of the numbers. */
export const productId = (n: number): string => String(1_000_000 + n);

/**
 * Histories of `events / 10` visitors, who have a category they mostly look at: popular ones and popular products in them
 * come more often. One step in twenty is an order, two are cart additions.
 */
export async function* shopHistories(events: number, products: number): AsyncGenerator<readonly VisitorHistory[]> {
  const random = createRandom(2);
  const clusters = Math.ceil(products / CLUSTER);
  const visitors = Math.ceil(events / STEPS);
  let batch: VisitorHistory[] = [];
  for (let visitor = 0; visitor < visitors; visitor++) {
    const cluster = Math.floor(random() ** 2 * clusters);
    const firstAt = END - 60 * DAY_MS + Math.floor(random() * 50 * DAY_MS);
    const interactions = Array.from({ length: STEPS }, (_, step) => {
      const draw = random();
      const type: InteractionType = draw < 0.05 ? "order" : draw < 0.15 ? "add_to_cart" : "product_view";
      const session = Math.floor(step / PER_SESSION);
      return {
        type,
        at: firstAt + session * 3 * DAY_MS + (step % PER_SESSION) * 30_000,
        productIds: Array.from({ length: type === "order" ? 2 : 1 }, () => productId(anyProduct(cluster))),
        ref: "",
      };
    });
    batch.push({ visitorId: `v${String(visitor).padStart(9, "0")}`, interactions });
    if (batch.length === BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;

  function anyProduct(cluster: number): number {
    if (random() < 0.2) return Math.floor(random() ** 3 * products);
    return Math.min(products - 1, cluster * CLUSTER + Math.floor(random() ** 2 * CLUSTER));
  }
}

/** A step as a storefront sends it. */
export interface Step {
  readonly type: InteractionType;
  readonly productId: string;
  readonly sku: string;
  readonly at: number;
}

/** So many histories of so many steps, of one visitor after the other. */
export async function stepsOfVisitors(count: number, length: number, products: number): Promise<Step[][]> {
  const found: Step[][] = [];
  let steps: Step[] = [];
  for await (const batch of shopHistories(count * length, products)) {
    for (const { type, at, productIds } of batch.flatMap(({ interactions }) => interactions)) {
      steps.push({ type, productId: productIds[0] ?? "", sku: "", at });
      if (steps.length < length) continue;
      found.push(steps);
      steps = [];
    }
  }
  return found;
}
