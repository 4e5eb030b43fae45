import type { Interaction, InteractionType } from "../../domain/interaction.js";
import type { ClientInteraction } from "./query.js";

/** Maximum interactions of each type, newest first. */
const MAX_INTERACTIONS_PER_TYPE = 1000;
/** Steps read from the server's history. */
const MAX_KNOWN_STEPS = 3 * MAX_INTERACTIONS_PER_TYPE;
/** A cart that was not ordered is forgotten after this time. */
const CART_LIFETIME_MS = 24 * 3600_000;
/** The client's and the server's copy of one interaction differ by less than this. */
const SAME_INTERACTION_MS = 10 * 60_000;

/** A visitor's interactions, and what follows from them. Product ids; sequences are oldest first. */
export interface VisitorContext {
  readonly sequence: readonly { readonly productId: string; readonly type: InteractionType; readonly at: number }[];
  readonly viewed: ReadonlySet<string>;
  readonly bought: ReadonlySet<string>;
  /** Added since the last order, within 24 hours; in the order of adding. */
  readonly cart: readonly string[];
}

type Step = VisitorContext["sequence"][number];

/**
 * Merges the client's history with the server's. An interaction in both counts once.
 *
 * @param server Newest first.
 * @param idOfSku Product id of a SKU; an unknown SKU counts as an id.
 * @param idOf Product id of what was sent as one, such as the id of a group of variants.
 */
export function visitorContext(
  client: readonly ClientInteraction[],
  server: readonly Interaction[],
  idOfSku: (sku: string) => string | undefined,
  now: number,
  idOf: (name: string) => string = (name) => name,
): VisitorContext {
  const fromClient = newest(withIds(named(client, idOfSku), idOf));
  const fromServer = newest(withIds(stepsOf(server), idOf));
  const sequence = join(fromClient, fromServer);
  const lastOrder = sequence.findLast((step) => step.type === "order")?.at ?? Number.NEGATIVE_INFINITY;
  const cart = new Set<string>();
  const viewed = new Set<string>();
  const bought = new Set<string>();
  for (const { type, productId, at } of sequence) {
    if (type === "product_view") viewed.add(productId);
    else if (type === "order") bought.add(productId);
    else if (at > lastOrder && at >= now - CART_LIFETIME_MS) cart.add(productId);
  }
  return { sequence, viewed, bought, cart: [...cart] };
}

/** The newest steps: an event of a stranger may name very many products. */
function stepsOf(server: readonly Interaction[]): readonly Step[] {
  const steps: Step[] = [];
  for (const { type, at, productIds } of server) {
    if (steps.length >= MAX_KNOWN_STEPS) break;
    for (const productId of productIds) steps.push({ type, at, productId });
  }
  return steps;
}

/** With the product's id; nearly always all have it, and are taken as they are. */
function named(client: readonly ClientInteraction[], idOfSku: (sku: string) => string | undefined): readonly Step[] {
  if (!client.some(({ productId }) => productId === "")) return client;
  return client
    .map(({ type, productId, sku, at }) => ({ type, at, productId: productId || (sku && (idOfSku(sku) ?? sku)) }))
    .filter((step) => step.productId !== "");
}

/** With product ids in place of names of groups; nearly always none is one, and the steps are taken as they are. */
function withIds(steps: readonly Step[], idOf: (name: string) => string): readonly Step[] {
  if (steps.every(({ productId }) => idOf(productId) === productId)) return steps;
  return steps.map((step) => ({ type: step.type, at: step.at, productId: idOf(step.productId) }));
}

function isOldestFirst(steps: readonly Step[]): boolean {
  for (let i = 1; i < steps.length; i++) if (!(steps[i - 1]!.at <= steps[i]!.at)) return false;
  return true;
}

/** The newest 1,000 of each type, oldest first. */
function newest(steps: readonly Step[]): readonly Step[] {
  const sorted = isOldestFirst(steps) ? steps : steps.toSorted((a, b) => a.at - b.at);
  if (sorted.length <= MAX_INTERACTIONS_PER_TYPE) return sorted;
  const left = {
    product_view: MAX_INTERACTIONS_PER_TYPE,
    add_to_cart: MAX_INTERACTIONS_PER_TYPE,
    order: MAX_INTERACTIONS_PER_TYPE,
  };
  return sorted
    .toReversed()
    .filter((step) => left[step.type]-- > 0)
    .reverse();
}

function join(client: readonly Step[], server: readonly Step[]): readonly Step[] {
  if (server.length === 0) return client;
  if (client.length === 0) return server;
  const times = new Map<string, number[]>();
  for (const step of client) {
    const key = `${step.type}:${step.productId}`;
    const known = times.get(key);
    if (known === undefined) times.set(key, [step.at]);
    else known.push(step.at);
  }
  const news = server.filter(
    (step) =>
      !times
        .get(`${step.type}:${step.productId}`)
        ?.some((at) => step.type === "order" || Math.abs(at - step.at) <= SAME_INTERACTION_MS),
  );
  return [...client, ...news].sort((a, b) => a.at - b.at);
}
