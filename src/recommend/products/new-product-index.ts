/**
 * Products newer than the model. Their texts place them in the model's space; events count which products visitors met
 * together with them. The index is small and in memory, so searches are exact.
 */

import type { Event } from "../../domain/event.js";
import type { Product } from "../../domain/product.js";
import { createTopK } from "../../learning/common/top-k.js";
import type { ServingModel } from "../../learning/sources/source.js";
import { productText } from "../../learning/sources/texts.js";

/** New products kept for each app. Searching all of them takes about 1 ms; they use 5 MB. */
const MAX_LIVE = 10_000;
/** Visitors remembered for each app, and the newest products of each visitor. */
const MAX_VISITORS = 10_000;
const PRODUCTS_OF_VISITOR = 10;
/** Products read from one event. */
const PRODUCTS_OF_EVENT = 20;
const MAX_PAIRS = 100_000;
/** Fewest visitors that must meet two products together before one is proposed for the other. */
const LEAST_TOGETHER = 2;

export interface LiveCandidate {
  readonly productId: string;
  /** Cosine similarity, or visitors. */
  readonly score: number;
}

/** New products of one app, as recommending uses them. */
export interface LiveProducts {
  /** Number of products. */
  readonly size: number;
  /** New products whose texts are near a direction in the model's space, best first; unlike ones are left out. */
  near(direction: Float32Array, k: number, passes: (productId: string) => boolean): LiveCandidate[];
  /** New products that most visitors met together with any of these. */
  together(productIds: readonly string[], k: number): LiveCandidate[];
  /** Products that were ordered with a new one; the score counts orders. */
  orderedWith(productId: string, k: number): LiveCandidate[];
}

type Placing = NonNullable<ServingModel["placing"]>;

/** New products beside one model. */
export class LiveIndex implements LiveProducts {
  readonly #ids: string[] = [];
  readonly #slots = new Map<string, number>();
  readonly #best = createTopK();
  #vectors: Float32Array;
  readonly #visits = new Map<string, readonly string[]>();
  /** For each product, the number of visitors who met each new product with it. */
  readonly #pairs = new Map<string, Map<string, number>>();
  /** For each new product, the number of orders that held each other product with it. */
  readonly #orders = new Map<string, Map<string, number>>();
  #pairCount = 0;

  constructor(
    readonly model: ServingModel,
    private readonly placing: Placing,
  ) {
    this.#vectors = new Float32Array(64 * placing.dimensions);
  }

  get size(): number {
    return this.#ids.length;
  }

  /** Updates a product; undefined for a removed one. */
  put(productId: string, product: Product | undefined): void {
    const isNew = product !== undefined && this.#isNew(productId);
    const vector = isNew ? this.placing.place(productText(product)) : undefined;
    if (vector === undefined) {
      this.#remove(productId);
      return;
    }
    let slot = this.#slots.get(productId);
    if (slot === undefined) {
      if (this.size === MAX_LIVE) return;
      slot = this.#ids.push(productId) - 1;
      this.#slots.set(productId, slot);
    }
    this.#room(slot + 1);
    this.#vectors.set(vector, slot * this.placing.dimensions);
  }

  /** Counts products that a visitor met together. Crawlers and unidentified visitors do not count. */
  meet({ actionType, bot, visitor, products }: Event): void {
    const visitorKey = visitor.clientId || visitor.fingerprintId || visitor.userId;
    if (bot || visitorKey === "" || !["product_view", "add_to_cart", "order"].includes(actionType)) return;
    const known = products
      .slice(0, PRODUCTS_OF_EVENT)
      .map(({ productId }) => productId)
      .filter((productId) => this.#isKnown(productId));
    if (known.length === 0) return;
    if (actionType === "order") this.#takeOrder(new Set(known));
    let met = this.#visits.get(visitorKey) ?? [];
    for (const productId of known) {
      if (met.includes(productId)) continue;
      for (const other of met) {
        this.#count(productId, other);
        this.#count(other, productId);
      }
      met = [...met, productId].slice(-PRODUCTS_OF_VISITOR);
    }
    this.#visits.delete(visitorKey);
    this.#visits.set(visitorKey, met);
    if (this.#visits.size > MAX_VISITORS) for (const [oldest] of this.#visits) return void this.#visits.delete(oldest);
  }

  near(direction: Float32Array, k: number, passes: (productId: string) => boolean): LiveCandidate[] {
    const { dimensions } = this.placing;
    this.#best.reset(k);
    for (let slot = 0; slot < this.size; slot++) {
      const from = slot * dimensions;
      let similarity = 0;
      for (let d = 0; d < dimensions; d++) similarity += this.#vectors[from + d]! * direction[d]!;
      if (similarity > 0 && passes(this.#ids[slot]!)) this.#best.offer(slot, similarity);
    }
    const { indices, scores } = this.#best.take();
    return Array.from(indices, (slot, i) => ({ productId: this.#ids[slot]!, score: scores[i]! }));
  }

  together(productIds: readonly string[], k: number): LiveCandidate[] {
    const visitors = new Map<string, number>();
    for (const productId of productIds)
      for (const [other, count] of this.#pairs.get(productId) ?? [])
        if (count >= LEAST_TOGETHER) visitors.set(other, (visitors.get(other) ?? 0) + count);
    return mostCounted(visitors, k);
  }

  orderedWith(productId: string, k: number): LiveCandidate[] {
    return mostCounted(this.#orders.get(productId) ?? new Map(), k);
  }

  #takeOrder(productIds: ReadonlySet<string>): void {
    for (const productId of productIds) {
      if (!this.#slots.has(productId)) continue;
      for (const other of productIds) if (other !== productId) this.#add(this.#orders, productId, other);
    }
  }

  /** Ids in events may be invented. */
  #isKnown(productId: string): boolean {
    return this.#slots.has(productId) || !this.#isNew(productId);
  }

  #isNew(productId: string): boolean {
    return this.model.indexOf(productId) === undefined;
  }

  #count(productId: string, other: string): void {
    if (this.#slots.has(other)) this.#add(this.#pairs, productId, other);
  }

  #add(pairs: Map<string, Map<string, number>>, productId: string, other: string): void {
    let others = pairs.get(productId);
    if (others?.has(other) !== true && this.#pairCount === MAX_PAIRS) return;
    if (others === undefined) {
      others = new Map();
      pairs.set(productId, others);
    }
    if (!others.has(other)) this.#pairCount++;
    others.set(other, (others.get(other) ?? 0) + 1);
  }

  #remove(productId: string): void {
    const slot = this.#slots.get(productId);
    if (slot === undefined) return;
    const last = this.#ids.pop()!;
    this.#slots.delete(productId);
    if (last === productId) return;
    const { dimensions } = this.placing;
    this.#ids[slot] = last;
    this.#slots.set(last, slot);
    this.#vectors.copyWithin(slot * dimensions, this.size * dimensions, (this.size + 1) * dimensions);
  }

  #room(count: number): void {
    if (count * this.placing.dimensions <= this.#vectors.length) return;
    const longer = new Float32Array(this.#vectors.length * 2);
    longer.set(this.#vectors);
    this.#vectors = longer;
  }
}

function mostCounted(counts: ReadonlyMap<string, number>, k: number): LiveCandidate[] {
  return [...counts]
    .map(([productId, score]) => ({ productId, score }))
    .sort((a, b) => b.score - a.score || (a.productId < b.productId ? -1 : 1))
    .slice(0, k);
}
