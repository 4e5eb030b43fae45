import { hash } from "node:crypto";

/**
 * The sender of an event without a secret: anybody who knows the app's id. Its statements about identity are unproven.
 * Events without a public sender are the shop's own: signed, from the shop's networks, over RPC or by an import.
 */
export interface PublicSender {
  /** Origin of the event: a network prefix, `private`, UNNAMED_PROXY, or "" when unknown. Never stored in this form. */
  readonly network: string;
}

/** Senders behind a private address that is no trusted proxy: they may be anybody. */
const UNNAMED_PROXY = "unnamed proxy";

/** Whether two events from this network may be taken to come from the same place. */
export function provesNetwork({ network }: PublicSender): boolean {
  return network !== "" && network !== UNNAMED_PROXY;
}

/** Stands for a network in records and between processes. Equal networks of an app have equal tags. */
export function networkTag(appId: string, { network }: PublicSender): string {
  return hash("sha256", `${appId} ${network}`, "base64url").slice(0, 16);
}
