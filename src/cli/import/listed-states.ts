import { createHash } from "node:crypto";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { ImportedContact } from "../../gen/aisle/v1/contact_pb.js";
import { SubscriptionState } from "../../gen/aisle/v1/subscription_pb.js";
import { emailKey, phoneKey } from "../../parse/addresses.js";

/** Which states a list names for each address. */
export interface ListedStates {
  /** Takes in a line; true when an earlier one names another state for its address, and times do not decide between them. */
  contradicts(contact: ImportedContact): boolean;
}

/** Holds of each address a part of its hash, its state and its time. */
export function createListedStates(): ListedStates {
  const known = { email: new Map<number, string>(), sms: new Map<number, string>() };
  const look = (states: Map<number, string>, address: string, state: SubscriptionState, time: string): boolean => {
    if (address === "" || state === SubscriptionState.UNSPECIFIED) return false;
    const key = createHash("sha256").update(address).digest().readUIntBE(0, 6);
    const said = `${state} ${time}`;
    const before = states.get(key);
    if (before === undefined || before === said) {
      states.set(key, said);
      return false;
    }
    const [stateBefore, timeBefore] = before.split(" ");
    return stateBefore !== String(state) && (time === "" || timeBefore === "" || time === timeBefore);
  };
  return {
    contradicts({ email, phone, emailState, smsState, changeTime }) {
      const time = changeTime === undefined ? "" : String(timestampMs(changeTime));
      const byEmail = look(known.email, emailKey(email), emailState, time);
      const bySms = look(known.sms, phoneKey(phone), smsState, time);
      return byEmail || bySms;
    },
  };
}
