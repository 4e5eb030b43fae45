/** Visitors' histories as sessions. */
import type { Interaction, VisitorHistory } from "../../domain/interaction.js";

/** A longer pause begins a new session. */
export const SESSION_GAP_MS = 30 * 60_000;
/** A session keeps its newest steps; longer ones are crawlers or feeds, not visits. */
const MAX_SESSION_LENGTH = 200;
/** Mark of a step whose product was put into the cart. */
export const CARTED = 1;
/** Mark of a step after which an order was placed, which empties the cart. */
export const ORDERED = 2;

/** A session of a visitor. */
export interface Session {
  /** Time of the last step, ms. */
  readonly at: number;
  /** Product indices in order of time, a product not twice in a row. */
  readonly items: readonly number[];
  /** Views in a row of each product; a cart addition or an order after a view adds none. */
  readonly runs: readonly number[];
  /** Marks of each product, see `Dataset.sessionMarks`. */
  readonly marks: readonly number[];
}

/**
 * A visitor's history cut into sessions. An order adds only products that the
 * session does not hold yet; views and cart additions already added the others.
 */
export function* sessionsOf(
  history: Pick<VisitorHistory, "interactions">,
  indexOf: Pick<ReadonlyMap<string, number>, "get">,
): Generator<Session> {
  let items: number[] = [];
  let runs: number[] = [];
  let marks: number[] = [];
  let endedAt = Number.NEGATIVE_INFINITY;
  const session = () => ({
    at: endedAt,
    items: items.slice(-MAX_SESSION_LENGTH),
    runs: runs.slice(-MAX_SESSION_LENGTH),
    marks: marks.slice(-MAX_SESSION_LENGTH),
  });
  for (const step of history.interactions) {
    if (step.at - endedAt > SESSION_GAP_MS) {
      if (items.length > 0) yield session();
      items = [];
      runs = [];
      marks = [];
    }
    endedAt = step.at;
    for (const index of known(step, indexOf)) {
      if (step.type === "order" && items.includes(index)) continue;
      if (items.at(-1) !== index) {
        items.push(index);
        runs.push(1);
        marks.push(0);
      } else if (step.type === "product_view") runs[runs.length - 1]!++;
      if (step.type === "add_to_cart") marks[marks.length - 1]! |= CARTED;
    }
    if (step.type === "order" && marks.length > 0) marks[marks.length - 1]! |= ORDERED;
  }
  if (items.length > 0) yield session();
}

function known(step: Interaction, indexOf: Pick<ReadonlyMap<string, number>, "get">): number[] {
  return step.productIds.map((productId) => indexOf.get(productId)).filter((index) => index !== undefined);
}
