import { hash } from "node:crypto";

/**
 * Whoever posts an event without a secret: anybody who knows the app's id. What such a sender says of who is who is not
 * proven. Events without one are the shop's own word: signed, from the shop's networks, over RPC or by an import.
 */
export interface PublicSender {
  /** Where the event came from: a network prefix, `private`, UNNAMED_PROXY, or "" when that is not known. Never stored as it is. */
  readonly network: string;
}

/** Whoever is behind a proxy with a private address that is not one of the trusted ones: that may be anybody. */
const UNNAMED_PROXY = "unnamed proxy";

/** Whether two events from this network may be taken to come from the same place. */
export function provesNetwork({ network }: PublicSender): boolean {
  return network !== "" && network !== UNNAMED_PROXY;
}

/** Stands for a network where it is kept or shown to other processes. Equal networks of an app have equal tags. */
export function networkTag(appId: string, { network }: PublicSender): string {
  return hash("sha256", `${appId} ${network}`, "base64url").slice(0, 16);
}
