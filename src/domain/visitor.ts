import type { App } from "./app.js";
import type { VisitorKey } from "./ids.js";

/** Whether an app shows a visitor everything about the contact it is linked to. */
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
  /** "" without a link. */
  readonly contactId: string;
  /** Time and event of the link, so that a late event does not undo a newer one. */
  readonly linkedAt: number;
  readonly linkedBy: string;
  /** When the link was recorded. Of an unproven link an app may show only what changed since then. */
  readonly linkedSince: number;
  /** The shop itself proved the link, or the owner of the address did by mail. */
  readonly isProven: boolean;
  /** The shop itself assigned its user id to this visitor. */
  readonly isUserProven: boolean;
  /** Addresses newly linked on the day `linksDay` (since 1970, UTC), as hashes; see `identity/links/link-limits.ts`. */
  readonly linksDay: number;
  readonly links: readonly string[];
  readonly createdAt: number;
}

/** A new visitor. */
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
