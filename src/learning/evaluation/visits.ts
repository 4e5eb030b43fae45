import type { Interaction, VisitorHistory } from "../../domain/interaction.js";
import type { InteractionStore } from "../../store/ports/interaction-store.js";
import { SESSION_GAP_MS } from "../training/history-sessions.js";

/** Interactions of a visitor without a long pause between them, oldest first; never empty. */
export type Visit = readonly Interaction[];

/** A visitor's history cut where training cuts it. */
function* visitsOf({ interactions }: VisitorHistory): Generator<Visit> {
  let visit: Interaction[] = [];
  for (const step of interactions) {
    const last = visit.at(-1);
    if (last !== undefined && step.at - last.at > SESSION_GAP_MS) {
      yield visit;
      visit = [];
    }
    visit.push(step);
  }
  if (visit.length > 0) yield visit;
}

export interface TimeSplit {
  /** The time that `newestShare` of the visits began at or after; of equal times all are after. */
  readonly cutOff: number;
  readonly visitsBefore: number;
  readonly visitsAfter: number;
}

/** Where an app's visits are parted. Undefined without a visit. */
export async function splitByTime(
  appId: string,
  interactions: Pick<InteractionStore, "scan">,
  newestShare: number,
): Promise<TimeSplit | undefined> {
  const begun: number[] = [];
  for await (const batch of interactions.scan(appId))
    for (const history of batch) for (const visit of visitsOf(history)) begun.push(visit[0]!.at);
  const sorted = Float64Array.from(begun).sort();
  const cutOff = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * (1 - newestShare)))];
  if (cutOff === undefined) return undefined;
  const visitsBefore = sorted.indexOf(cutOff);
  return { cutOff, visitsBefore, visitsAfter: sorted.length - visitsBefore };
}

/** The store as it was at `cutOff`: later interactions are not there, nor are visitors who came later. */
export function interactionsBefore(
  interactions: Pick<InteractionStore, "scan">,
  cutOff: number,
): Pick<InteractionStore, "scan"> {
  return {
    async *scan(appId) {
      for await (const batch of interactions.scan(appId)) {
        const earlier = batch.map((history) => ({
          ...history,
          interactions: history.interactions.filter((step) => step.at < cutOff),
        }));
        yield earlier.filter((history) => history.interactions.length > 0);
      }
    },
  };
}

/** The store with ids of products in place of the names of their groups. */
export function interactionsById(
  interactions: Pick<InteractionStore, "scan">,
  idOf: (name: string) => string,
): Pick<InteractionStore, "scan"> {
  return {
    async *scan(appId) {
      for await (const batch of interactions.scan(appId))
        yield batch.map((history) => ({
          ...history,
          interactions: history.interactions.map((step) => ({ ...step, productIds: step.productIds.map(idOf) })),
        }));
    },
  };
}

/**
 * Visits that began at `cutOff` or later, by time; equal times in the order of visitors' ids. A visit on both sides is
 * not among them: what it was before is learned.
 */
export async function visitsSince(
  appId: string,
  interactions: Pick<InteractionStore, "scan">,
  cutOff: number,
): Promise<Visit[]> {
  const found: Visit[] = [];
  for await (const batch of interactions.scan(appId))
    for (const history of batch) for (const visit of visitsOf(history)) if (visit[0]!.at >= cutOff) found.push(visit);
  return found.sort((a, b) => a[0]!.at - b[0]!.at);
}

/** Someone who ordered before the cut-off, and again. */
export interface Customer {
  /** Orders before the cut-off, oldest first; never empty. */
  readonly earlier: readonly Interaction[];
  /** The first order of the visits that began at the cut-off or later. */
  readonly next: Interaction;
}

/** By the time of the next order; equal times in the order of visitors' ids. */
export async function customersSince(
  appId: string,
  interactions: Pick<InteractionStore, "scan">,
  cutOff: number,
): Promise<Customer[]> {
  const found: Customer[] = [];
  const isOrder = ({ type }: Interaction) => type === "order";
  for await (const batch of interactions.scan(appId))
    for (const history of batch) {
      const earlier = history.interactions.filter((step) => isOrder(step) && step.at < cutOff);
      if (earlier.length === 0) continue;
      const visits = [...visitsOf(history)].filter((visit) => visit[0]!.at >= cutOff);
      const next = visits.flat().find(isOrder);
      if (next !== undefined) found.push({ earlier, next });
    }
  return found.sort((a, b) => a.next.at - b.next.at);
}
