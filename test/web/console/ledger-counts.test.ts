import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SubscriptionChange, SubscriptionChangeSchema } from "../../../src/gen/aisle/v1/ledger_pb.js";
import { SubscriptionChannel, SubscriptionState } from "../../../src/gen/aisle/v1/subscription_pb.js";
import { countChanges, NO_COUNTS } from "../../../web/console/ledger-counts.js";

const { SUBSCRIBED, UNKNOWN, UNSUBSCRIBED } = SubscriptionState;
const CHANNELS = [SubscriptionChannel.EMAIL, SubscriptionChannel.SMS] as const;

/** A ledger of a few contacts, each entry from the state that the one before it left. */
const ledger = fc
  .array(fc.tuple(fc.nat(4), fc.constantFrom(...CHANNELS), fc.constantFrom(SUBSCRIBED, UNSUBSCRIBED, UNKNOWN)))
  .map((said) => {
    const states = new Map<string, SubscriptionState>();
    const changes = said.map(([contact, channel, newState]): SubscriptionChange => {
      const key = `${contact} ${channel}`;
      const oldState = states.get(key) ?? UNKNOWN;
      states.set(key, newState);
      return create(SubscriptionChangeSchema, { contactId: String(contact), channel, oldState, newState });
    });
    return { states, changes };
  });

describe("the counts of the ledger page", () => {
  it("are the contacts in each state at the end, over all pages of the ledger", () => {
    fc.assert(
      fc.property(ledger, fc.nat(20), ({ states, changes }, cut) => {
        const counts = countChanges(countChanges(NO_COUNTS, changes.slice(0, cut)), changes.slice(cut));
        const inState = (channel: SubscriptionChannel, state: SubscriptionState) =>
          [...states].filter(([key, value]) => key.endsWith(` ${channel}`) && value === state).length;
        const [email, sms] = CHANNELS.map((channel) => ({
          subscribed: inState(channel, SUBSCRIBED),
          unsubscribed: inState(channel, UNSUBSCRIBED),
        }));
        expect(counts).toEqual({ email, sms, entries: changes.length });
      }),
    );
  });
});
