import { SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";

const STATES: Readonly<Record<SubscriptionState, string>> = {
  [SubscriptionState.UNSPECIFIED]: "",
  [SubscriptionState.UNKNOWN]: "unknown",
  [SubscriptionState.SUBSCRIBED]: "subscribed",
  [SubscriptionState.UNSUBSCRIBED]: "unsubscribed",
};

export function stateText(state: SubscriptionState): string {
  return STATES[state];
}
