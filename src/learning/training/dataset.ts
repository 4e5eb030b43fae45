import type { VisitorHistory } from "../../domain/interaction.js";
import type { Product } from "../../domain/product.js";
import { standingVariants } from "../../domain/variant-group.js";
import type { InteractionStore } from "../../store/ports/interaction-store.js";
import type { ProductStore } from "../../store/ports/product-store.js";
import type { Rows } from "../common/rows.js";
import { type Meetings, POPULARITY_WEIGHT } from "../sources/popularity/popularity.js";
import { productText } from "../sources/texts.js";
import type { ProductText } from "../text/embedder.js";
import { BasketTable, MeetingTable, SessionTable } from "./dataset-tables.js";
import { sessionsOf } from "./history-sessions.js";

/** All training data, in dense product indices. The order depends on the data alone. */
export interface Dataset {
  /** Product id of each index, in order of ids. */
  readonly productIds: readonly string[];
  readonly texts: readonly ProductText[];
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
  /** Orders by time; each product once. */
  readonly baskets: Rows;
  /** Time of each order, ms, and a number for its visitor. */
  readonly basketAt: Float64Array;
  readonly basketVisitors: Uint32Array;
  /** Every interaction of a visitor with a product, for popularity. */
  readonly meetings: Meetings;
  /** Time of the newest interaction, ms; 0 without interactions. Ages count from here. */
  readonly cutOff: number;
  readonly visitorCount: number;
}

/**
 * Reads an app's products and interactions. Interactions with products that are no longer there are left out; those
 * with a group of variants count for the variant that stands for it. Of the steps of all sessions the newest `mostSteps`
 * are read, and interactions of that time.
 */
export async function readDataset(
  appId: string,
  stores: { readonly products: Pick<ProductStore, "scan">; readonly interactions: Pick<InteractionStore, "scan"> },
  mostSteps?: number,
): Promise<Dataset> {
  const { productIds, texts, indexOf } = await readProducts(appId, stores.products);
  const sessions = new SessionTable(mostSteps);
  const baskets = new BasketTable();
  const meetings = new MeetingTable();
  let cutOff = 0;
  let visitorCount = 0;
  for await (const batch of stores.interactions.scan(appId)) {
    for (const history of batch) {
      visitorCount++;
      for (const step of history.interactions) {
        cutOff = Math.max(cutOff, step.at);
        for (const productId of step.productIds) {
          const index = indexOf.get(productId);
          if (index !== undefined && step.at >= sessions.droppedUntil)
            meetings.add(index, step.at, POPULARITY_WEIGHT[step.type]);
        }
        if (step.type !== "order") continue;
        const known = step.productIds.map((productId) => indexOf.get(productId));
        baskets.add(new Set(known.filter((index) => index !== undefined)), step.at, visitorCount);
      }
      let isFirst = true;
      for (const session of sessionsOf(history, indexOf)) {
        if (session.at < sessions.droppedUntil) continue;
        sessions.add(session, isFirst);
        isFirst = false;
      }
      if (sessions.bound()) meetings.dropBefore(sessions.droppedUntil);
    }
  }
  if (sessions.bound(0)) meetings.dropBefore(sessions.droppedUntil);
  return {
    productIds,
    texts,
    ...sessions.byTime(),
    ...baskets.byTime(),
    meetings: meetings.take(),
    cutOff,
    visitorCount,
  };
}

/** Of a product no more is kept than training needs: a million of them would fill the heap. */
async function readProducts(appId: string, products: Pick<ProductStore, "scan">) {
  const texts: ProductText[] = [];
  const variants: Pick<Product, "productId" | "variantGroupId">[] = [];
  for await (const batch of products.scan(appId)) {
    for (const product of batch) {
      texts.push(productText(product));
      variants.push({ productId: product.productId, variantGroupId: product.variantGroupId });
    }
  }
  const productIds = variants.map(({ productId }) => productId);
  const indexOf = new Map(productIds.map((productId, index) => [productId, index]));
  for (const [groupId, productId] of standingVariants(variants)) indexOf.set(groupId, indexOf.get(productId)!);
  return { productIds, texts, indexOf };
}

/** Histories for training and evaluation, without interactions and visitors that are crawlers. */
export function filterBots(interactions: Pick<InteractionStore, "scan">): Pick<InteractionStore, "scan"> {
  return {
    async *scan(appId) {
      for await (const batch of interactions.scan(appId)) {
        yield batch.map(ofPeople).filter((history) => history.interactions.length > 0);
      }
    },
  };
}

function ofPeople(history: VisitorHistory): VisitorHistory {
  if (!history.interactions.some(({ bot }) => bot)) return history;
  return { ...history, interactions: history.interactions.filter(({ bot }) => !bot) };
}
