import type { App } from "./app.js";
import type { VisitorKey } from "./ids.js";

/** Whether an app shows a visitor all that is known of the contact it is linked to. */
export function isTrusted(app: Pick<App, "linkTrust">, visitor: Pick<Visitor, "isProven">): boolean {
  return app.linkTrust !== "strict" || visitor.isProven;
}

/**
 * One visitor. When ids of two visitors turn out to be one person, the older record takes the younger's
 * keys and its `members`; histories are stored under the member ids and are read over all of them.
 */
export interface Visitor {
  readonly visitorId: string;
  readonly keys: readonly VisitorKey[];
  /** Visitor ids whose histories are this visitor's, its own first. */
  readonly members: readonly string[];
  /** "" when linked to nobody. */
  readonly contactId: string;
  /** Time and event of the link, so that a late event does not undo a newer one. */
  readonly linkedAt: number;
  readonly linkedBy: string;
  /** When the link was recorded. Of an unproven link an app may show only what changed since then. */
  readonly linkedSince: number;
  /** The shop itself vouched for the link, or who reads the address's mail did. */
  readonly isProven: boolean;
  /** The shop itself said that its user id is this visitor's. */
  readonly isUserProven: boolean;
  /** What it was newly linked to on the day `linksDay` (since 1970, UTC), as hashes; see `identity/links/link-limits.ts`. */
  readonly linksDay: number;
  readonly links: readonly string[];
  readonly createdAt: number;
}

/** A visitor of whom nothing is known yet. */
export function newVisitor(visitorId: string, createdAt: number): Visitor {
  return {
    visitorId,
    keys: [],
    members: [visitorId],
    contactId: "",
    linkedAt: 0,
    linkedBy: "",
    linkedSince: 0,
    isProven: false,
    isUserProven: false,
    linksDay: 0,
    links: [],
    createdAt,
  };
}
