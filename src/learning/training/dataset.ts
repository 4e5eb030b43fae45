import type { Product } from "../../domain/product.js";
import { standingVariants } from "../../domain/variant-group.js";
import type { InteractionStore } from "../../store/ports/interaction-store.js";
import type { ProductStore } from "../../store/ports/product-store.js";
import { GrowingArray } from "../common/growing-array.js";
import { POPULARITY_WEIGHT } from "../common/popularity.js";
import type { Rows } from "../common/rows.js";
import { sessionsOf } from "../model/history-sessions.js";
import { BasketTable, SessionTable } from "./dataset-tables.js";

/** All training data, in dense product indices. The order depends on the data alone. */
export interface Dataset {
  /** Product id of each index, in order of ids. */
  readonly productIds: readonly string[];
  readonly products: readonly Product[];
  /** Sessions by the time of their end; products in order of time, a product not twice in a row. */
  readonly sessions: Rows;
  /** How often each product of `sessions.items` was viewed in a row; 1 or more. */
  readonly sessionRuns: Uint32Array;
  /** What else happened at each step of `sessions.items`: a sum of `CARTED` and `ORDERED`. */
  readonly sessionMarks: Uint8Array;
  /** Row of the same visitor's session before; -1 for none. */
  readonly previousSession: Int32Array;
  /** Time of the last step of each session, ms. */
  readonly sessionEndedAt: Float64Array;
  /** Rows of the sessions that may still go on, and whose history each is. */
  readonly openSessions: readonly { readonly row: number; readonly historyId: string }[];
  /** Orders by time; each product once. */
  readonly baskets: Rows;
  /** Time of each order, ms, and a number for its visitor. */
  readonly basketAt: Float64Array;
  readonly basketVisitors: Uint32Array;
  /** Every interaction of a visitor with a product, for popularity. */
  readonly meetings: {
    readonly productIndices: Uint32Array;
    readonly at: Float64Array;
    readonly weights: Float32Array;
  };
  /** Time of the newest interaction, ms; 0 without interactions. Ages count from here. */
  readonly cutOff: number;
  readonly visitorCount: number;
}

/**
 * Reads an app's products and interactions. Interactions with products that are no longer there are left out; those
 * with a group of variants count for the variant that stands for it. Sessions that ended after `openFrom`, ms, may go on.
 */
export async function readDataset(
  appId: string,
  stores: { readonly products: Pick<ProductStore, "scan">; readonly interactions: Pick<InteractionStore, "scan"> },
  openFrom = Number.POSITIVE_INFINITY,
): Promise<Dataset> {
  const products: Product[] = [];
  for await (const batch of stores.products.scan(appId)) products.push(...batch);
  const indexOf = new Map(products.map((product, index) => [product.productId, index]));
  for (const [groupId, productId] of standingVariants(products)) indexOf.set(groupId, indexOf.get(productId)!);

  const sessions = new SessionTable();
  const baskets = new BasketTable();
  const meetings = {
    productIndices: new GrowingArray((length) => new Uint32Array(length)),
    at: new GrowingArray((length) => new Float64Array(length)),
    weights: new GrowingArray((length) => new Float32Array(length)),
  };
  let cutOff = 0;
  let visitorCount = 0;
  for await (const batch of stores.interactions.scan(appId)) {
    for (const history of batch) {
      visitorCount++;
      for (const step of history.interactions) {
        cutOff = Math.max(cutOff, step.at);
        for (const productId of step.productIds) {
          const index = indexOf.get(productId);
          if (index === undefined) continue;
          meetings.productIndices.push(index);
          meetings.at.push(step.at);
          meetings.weights.push(POPULARITY_WEIGHT[step.type]);
        }
        if (step.type !== "order") continue;
        const known = step.productIds.map((productId) => indexOf.get(productId));
        baskets.add(new Set(known.filter((index) => index !== undefined)), step.at, visitorCount);
      }
      let isFirst = true;
      for (const session of sessionsOf(history, indexOf)) {
        sessions.add(session, isFirst);
        if (session.at > openFrom) sessions.keepOpen(history.visitorId);
        isFirst = false;
      }
    }
  }
  return {
    productIds: products.map((product) => product.productId),
    products,
    ...sessions.byTime(),
    ...baskets.byTime(),
    meetings: {
      productIndices: meetings.productIndices.take(),
      at: meetings.at.take(),
      weights: meetings.weights.take(),
    },
    cutOff,
    visitorCount,
  };
}
