import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { createListedStates } from "../../../src/cli/import/listed-states.js";
import { ImportedContactSchema } from "../../../src/gen/aisle/v1/contact_pb.js";
import { SubscriptionState } from "../../../src/gen/aisle/v1/subscription_pb.js";

const { SUBSCRIBED, UNSUBSCRIBED } = SubscriptionState;

describe("two lines of a list", () => {
  it.each([
    ["ann@bücher.example", "Ann@XN--BCHER-KVA.example."],
    ["a+b@x.example", "a b@x.example"],
    ["\u200bann@x.example", "ann@x.example "],
  ])("contradict each other under two spellings of an address: %j, %j", (one, other) => {
    const states = createListedStates();
    const line = (email: string, emailState: SubscriptionState) => create(ImportedContactSchema, { email, emailState });
    expect(states.contradicts(line(one, SUBSCRIBED))).toBe(false);
    expect(states.contradicts(line(other, UNSUBSCRIBED))).toBe(true);
  });

  it("contradict each other under two spellings of a phone number", () => {
    const states = createListedStates();
    const line = (phone: string, smsState: SubscriptionState) => create(ImportedContactSchema, { phone, smsState });
    expect(states.contradicts(line("+48 123 456 789", SUBSCRIBED))).toBe(false);
    expect(states.contradicts(line("0048123456789", UNSUBSCRIBED))).toBe(true);
  });

  it("do not contradict each other with the same state, other addresses, or times that decide", () => {
    const states = createListedStates();
    const line = (email: string, emailState: SubscriptionState, ms?: number) =>
      create(ImportedContactSchema, { email, emailState, ...(ms && { changeTime: timestampFromMs(ms) }) });
    expect(states.contradicts(line("a@x.example", SUBSCRIBED, 1000))).toBe(false);
    expect(states.contradicts(line("A@x.example", UNSUBSCRIBED, 2000))).toBe(false);
    expect(states.contradicts(line("b@x.example", SUBSCRIBED))).toBe(false);
    expect(states.contradicts(line("b@X.example", SUBSCRIBED))).toBe(false);
    expect(states.contradicts(line("c@x.example", UNSUBSCRIBED))).toBe(false);
  });
});
