import { hash } from "node:crypto";

/**
 * The sender of an event without a secret: anybody who knows the app's id. Its statements about identity are unproven.
 * Events without a public sender are the shop's own: signed, from the shop's networks, over RPC or by an import.
 */
export interface PublicSender {
  /** Origin of the event: a network prefix, `private`, `unnamed proxy`; "" when unknown. Never stored in this form. */
  readonly network: string;
  /** The exact public address; "" or undefined where a proxy or a private network hides it. Never stored in this form. */
  readonly address?: string | undefined;
}

/** Stands for one sender: its address where that is known, else its network. */
export function senderTag(appId: string, { network, address = "" }: PublicSender): string {
  return networkTag(appId, { network: address === "" ? network : `address ${address}` });
}

/** Stands for a network in records and between processes. Equal networks of an app have equal tags. */
export function networkTag(appId: string, { network }: PublicSender): string {
  return hash("sha256", `${appId} ${network}`, "base64url").slice(0, 16);
}
