/**
 * Sessions that fitted session neighbours learn while they answer: an incremental index, as in
 *   Kersbergen, Sprangers, Schelter: Serenade – low-latency session-based recommendation in e-commerce at scale,
 *   SIGMOD 2022 (VMIS-kNN: the m newest sessions of each item)
 *   Schelter, Ariannezhad, de Rijke: Forget me now: fast and exact unlearning in neighborhood-based recommendation,
 *   SIGIR 2023 (Caboose)
 *
 * Answers equal those of neighbours fitted from all the sessions. A session that was under way when the model was fitted
 * is hidden, and the whole one is added in its place. Each product reads its newest sessions: live ones first, fitted
 * ones up to the bound. Recency counts from the newest session, so all scores of an answer share one factor, `scale`.
 *
 * IDF of a session's products is renewed with it. The number of sessions changes IDF of all other products a little;
 * `sweep` renews these in turn.
 *
 * Memory: 20 bytes a product and 4 a fitted session; a live session has 100 bytes and 8 for each item. Learning one
 * takes some microseconds.
 */
import { rowCount } from "../common/rows.js";
import { idfOf, type SessionNeighbours, sessionWeight } from "./session-neighbours.js";

/** What is known of the sessions that a model was fitted from, so that others can join them. */
export interface FittedSessions {
  /** By product, the number of sessions that hold it. */
  readonly inSessions: Uint32Array;
  /** Time from which ages were counted, ms. */
  readonly agesFrom: number;
}

/** Live sessions with a product, the newest last. */
export interface LivePosting {
  readonly sessions: Uint32Array;
  readonly size: number;
  /** Hidden fitted sessions with the product. */
  readonly hidden: number;
}

/** Bounds of live sessions of a model: a quarter of the fitted ones, within these. */
const LEAST_LIVE = 1024;
const MOST_LIVE = 16_384;
/** Items of live sessions, as a multiple of the bound on the sessions. */
const ITEMS_PER_SESSION = 8;
/** Numbers copied before yielding: far below a millisecond. */
const AT_ONCE = 1 << 17;
/** A clock far ahead gives a session no more weight than this power of e. */
const MAX_EXPONENT = 50;

const NO_ITEMS = new Uint32Array(0);

export class LiveSessions {
  /** Most sessions at a time, and items of all of them. */
  readonly capacity: number;
  readonly itemCapacity: number;
  /** Fitted sessions have lower numbers. */
  readonly first: number;
  #size = 0;
  #itemCount = 0;
  #hidden = 0;
  #newest: number;
  #scale = 1;
  readonly #held: Uint32Array[] = [];
  readonly #free: number[] = [];
  readonly #postings = new Map<number, Posting>();
  /** Products whose IDF is of another number of sessions, and the next of them. */
  #stale = 0;
  #next = 0;

  private constructor(
    private readonly fitted: SessionNeighbours,
    private readonly agesFrom: number,
    private readonly inSessions: Uint32Array,
    private readonly weights: Float32Array,
    private readonly similarityIdf: Float32Array,
    private readonly scoreIdf: Float32Array,
  ) {
    this.first = rowCount(fitted.sessions);
    this.capacity = weights.length - this.first;
    this.itemCapacity = this.capacity * ITEMS_PER_SESSION;
    this.#newest = agesFrom;
  }

  /** The same neighbours with room for live sessions; in steps of less than a millisecond. */
  static *open(
    fitted: SessionNeighbours,
    { inSessions, agesFrom }: FittedSessions,
  ): Generator<undefined, SessionNeighbours & { readonly live: LiveSessions }, undefined> {
    if (fitted.strengths !== undefined) throw new RangeError("Sessions with strengths cannot be continued");
    const count = rowCount(fitted.sessions);
    const capacity = Math.min(MOST_LIVE, Math.max(LEAST_LIVE, count >> 2));
    const sessionWeights = yield* copied(fitted.sessionWeights, new Float32Array(count + capacity));
    const similarityIdf = yield* copied(fitted.similarityIdf, new Float32Array(fitted.productCount));
    const scoreIdf = yield* copied(fitted.scoreIdf, new Float32Array(fitted.productCount));
    const counts = yield* copied(inSessions, new Uint32Array(fitted.productCount));
    const live = new LiveSessions(fitted, agesFrom, counts, sessionWeights, similarityIdf, scoreIdf);
    return { ...fitted, sessionWeights, similarityIdf, scoreIdf, live };
  }

  get size(): number {
    return this.#size;
  }

  get itemCount(): number {
    return this.#itemCount;
  }

  /** What similarities are multiplied by, so that ages count from the newest session. */
  get scale(): number {
    return this.#scale;
  }

  /** Live sessions with a product, and hidden ones. */
  of(item: number): LivePosting | undefined {
    return this.#postings.get(item);
  }

  /** Items of a live session, by its number. */
  items(session: number): Uint32Array {
    return this.#held[session - this.first]!;
  }

  /** Learns a session and returns its number. There must be room: see `capacity` and `itemCapacity`. */
  add(sessionItems: Uint32Array, endedAt: number): number {
    const slot = this.#free.pop() ?? this.#held.length;
    if (slot >= this.capacity) throw new RangeError("There is no room for another session");
    const { params } = this.fitted;
    const items = sessionItems.slice(-params.sessionItems);
    this.#held[slot] = items;
    const session = this.first + slot;
    const ahead = Math.min(endedAt - this.agesFrom, MAX_EXPONENT * params.sessionDecayDays * 86_400_000);
    this.weights[session] = sessionWeight(-ahead, items.length, params);
    if (this.agesFrom + ahead > this.#newest) {
      this.#newest = this.agesFrom + ahead;
      this.#scale = sessionWeight(ahead, 1, params);
    }
    this.#size++;
    this.#itemCount += items.length;
    for (const item of new Set(items)) {
      this.#posting(item).add(session);
      this.inSessions[item]!++;
    }
    this.#renew(items);
    return session;
  }

  /** Forgets a live session. */
  remove(session: number): void {
    const items = this.items(session);
    this.weights[session] = 0;
    this.#held[session - this.first] = NO_ITEMS;
    this.#free.push(session - this.first);
    this.#size--;
    this.#itemCount -= items.length;
    for (const item of new Set(items)) {
      this.#posting(item).remove(session);
      this.#dropIfUnused(item);
      this.inSessions[item]!--;
    }
    this.#renew(items);
  }

  /** Leaves a fitted session out, or takes it in again. */
  hide(session: number, isHidden: boolean): void {
    const { offsets, items } = this.fitted.sessions;
    const held = items.subarray(offsets[session]!, offsets[session + 1]!);
    const by = isHidden ? 1 : -1;
    this.weights[session] = isHidden ? 0 : this.fitted.sessionWeights[session]!;
    this.#hidden += by;
    for (const item of new Set(held)) {
      this.#posting(item).hidden += by;
      this.#dropIfUnused(item);
      this.inSessions[item]! -= by;
    }
    this.#renew(held);
  }

  /** Renews IDF of up to so many products; false when that of all is right. */
  sweep(most: number): boolean {
    const { productCount } = this.fitted;
    const count = Math.min(most, this.#stale);
    for (let n = 0; n < count; n++) {
      this.#writeIdf(this.#next);
      this.#next = this.#next + 1 === productCount ? 0 : this.#next + 1;
    }
    this.#stale -= count;
    return this.#stale > 0;
  }

  #posting(item: number): Posting {
    let posting = this.#postings.get(item);
    if (posting === undefined) {
      posting = new Posting();
      this.#postings.set(item, posting);
    }
    return posting;
  }

  #dropIfUnused(item: number): void {
    const posting = this.#postings.get(item);
    if (posting?.size === 0 && posting.hidden === 0) this.#postings.delete(item);
  }

  /** IDF of these products at once; that of the others by and by. */
  #renew(items: Uint32Array): void {
    for (const item of items) this.#writeIdf(item);
    this.#stale = this.fitted.productCount;
  }

  #writeIdf(item: number): void {
    const { idfInSimilarity, idfInScore } = this.fitted.params;
    const holding = this.inSessions[item]!;
    const idf = holding === 0 ? 0 : idfOf(this.fitted.learned - this.#hidden + this.#size, holding);
    this.similarityIdf[item] = holding === 0 ? 0 : idf ** idfInSimilarity;
    this.scoreIdf[item] = holding === 0 ? 0 : idf ** idfInScore;
  }
}

class Posting implements LivePosting {
  sessions = new Uint32Array(4);
  size = 0;
  hidden = 0;

  add(session: number): void {
    if (this.size === this.sessions.length) {
      const longer = new Uint32Array(this.size * 2);
      longer.set(this.sessions);
      this.sessions = longer;
    }
    this.sessions[this.size++] = session;
  }

  remove(session: number): void {
    const at = this.sessions.lastIndexOf(session, this.size - 1);
    this.sessions.copyWithin(at, at + 1, this.size--);
  }
}

function* copied<T extends Float32Array | Uint32Array>(from: T, to: T): Generator<undefined, T, undefined> {
  for (let at = 0; at < from.length; at += AT_ONCE) {
    to.set(from.subarray(at, at + AT_ONCE), at);
    yield;
  }
  return to;
}
