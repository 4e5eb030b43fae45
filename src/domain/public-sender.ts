/**
 * Whoever posts an event without a secret: anybody who knows the app's id. What such a sender says of who is who is not
 * proven. Events without one come from the shop's own systems, over RPC or by an import.
 */
export interface PublicSender {
  /** Where the event came from: a network prefix, "" when that is not known. Never stored as it is. */
  readonly network: string;
}
