/** A young shop: the newest sessions or orders of a recorded one, and later steps whose answers it knows. */
import { join } from "node:path";
import type { Interaction, VisitorHistory } from "../../src/domain/interaction.js";
import type { Product } from "../../src/domain/product.js";
import type { TrainModelOptions } from "../../src/learning/training/train-model.js";
import { bareProduct } from "../../test/fixtures/bare-product.js";
import { readCsvGz } from "../../test/fixtures/shared-data.js";
import { type Step, sessionsOf } from "../behaviour.js";

export interface RecordedShop {
  readonly name: string;
  readonly isOrders: boolean;
  /** By time of their end. */
  readonly train: readonly (readonly Step[])[];
  readonly dev: readonly (readonly Step[])[];
  /** By product id; empty where the set has none. */
  readonly titles: ReadonlyMap<string, string>;
}

export async function readRecordedShop(name: string, folder: string): Promise<RecordedShop> {
  const isOrders = name === "online_retail";
  const read = async (part: string) => {
    const sessions = await sessionsOf(join(folder, `${part}.csv.gz`));
    return sessions.sort((a, b) => (a.at(-1)?.at ?? 0) - (b.at(-1)?.at ?? 0));
  };
  const titles = new Map<string, string>();
  if (isOrders)
    for (const { item = "", title = "" } of readCsvGz(join(folder, "products.csv.gz"))) titles.set(item, title);
  return { name, isOrders, train: await read("train"), dev: await read("dev"), titles };
}

export interface CutShop {
  readonly stores: Pick<TrainModelOptions, "products" | "interactions">;
  readonly products: readonly Product[];
  readonly histories: readonly VisitorHistory[];
  /** Later visits, for questions. */
  readonly later: readonly (readonly Interaction[])[];
}

/** The shop with its newest `size` sessions or orders alone; it sells what these hold. */
export function cutShop({ isOrders, train, dev, titles }: RecordedShop, size: number): CutShop {
  const interactionsOf = (steps: readonly Step[]): Interaction[] =>
    isOrders
      ? [
          {
            type: "order",
            at: steps[0]!.at,
            productIds: [...new Set(steps.map(({ item }) => item))],
            ref: `order:${steps[0]!.session}`,
          },
        ]
      : steps.map(({ item, at }, i) => ({ type: "product_view", at, productIds: [item], ref: `${i}` }));
  const histories = train.slice(-size).map((steps) => ({
    visitorId: `s${String(steps[0]!.session).padStart(8, "0")}`,
    interactions: interactionsOf(steps),
  }));
  const ids = new Set(histories.flatMap(({ interactions }) => interactions.flatMap(({ productIds }) => productIds)));
  const products = [...ids].sort().map((id) => bareProduct(id, { title: titles.get(id) ?? "" }));
  async function* scan<T>(batch: readonly T[]): AsyncGenerator<readonly T[]> {
    yield batch;
  }
  return {
    stores: { products: { scan: () => scan(products) }, interactions: { scan: () => scan(histories) } },
    products,
    histories,
    later: dev.map(interactionsOf),
  };
}
