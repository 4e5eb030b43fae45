import type { SubscriptionChange } from "../../src/gen/aisle/v1/ledger_pb.js";
import { SubscriptionChannel, SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";

/** Contacts of one channel by state. */
export interface ChannelCounts {
  readonly subscribed: number;
  readonly unsubscribed: number;
}

export interface LedgerCounts {
  readonly email: ChannelCounts;
  readonly sms: ChannelCounts;
  /** Number of entries counted. */
  readonly entries: number;
}

const NOBODY: ChannelCounts = { subscribed: 0, unsubscribed: 0 };

export const NO_COUNTS: LedgerCounts = { email: NOBODY, sms: NOBODY, entries: 0 };

/** Adds entries of the consent ledger in order: each moves a contact from one state into another. */
export function countChanges(before: LedgerCounts, changes: readonly SubscriptionChange[]): LedgerCounts {
  let { email, sms } = before;
  for (const { channel, oldState, newState } of changes) {
    if (channel === SubscriptionChannel.SMS) sms = moved(sms, oldState, newState);
    else email = moved(email, oldState, newState);
  }
  return { email, sms, entries: before.entries + changes.length };
}

function moved(counts: ChannelCounts, from: SubscriptionState, to: SubscriptionState): ChannelCounts {
  const change = (state: SubscriptionState) => Number(to === state) - Number(from === state);
  return {
    subscribed: counts.subscribed + change(SubscriptionState.SUBSCRIBED),
    unsubscribed: counts.unsubscribed + change(SubscriptionState.UNSUBSCRIBED),
  };
}
