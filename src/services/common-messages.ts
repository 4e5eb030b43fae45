import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { VisitorIds } from "../domain/ids.js";
import type { Money } from "../domain/money.js";
import { NO_SIGNALS, type SentSignals } from "../domain/privacy-signals.js";
import type { Money as MoneyMessage, MoneySchema } from "../gen/aisle/v1/money_pb.js";
import type { SentSignals as SentSignalsMessage, VisitorIds as VisitorIdsMessage } from "../gen/aisle/v1/visitor_pb.js";

/** Milliseconds of a timestamp, null when absent. */
export function msOf(timestamp: Timestamp | undefined): number | null {
  return timestamp === undefined ? null : Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1e6);
}

/** A timestamp, absent for 0. */
export function timestampOf(ms: number): Timestamp | undefined {
  return ms === 0 ? undefined : timestampFromMs(ms);
}

export function moneyOf(message: MoneyMessage | undefined): Money {
  return { amount: message?.amount ?? "", currency: message?.currency ?? "" };
}

export function moneyMessage(money: Money): MessageInitShape<typeof MoneySchema> | undefined {
  return money.amount === "" && money.currency === "" ? undefined : { ...money };
}

export function visitorIdsOf(message: VisitorIdsMessage | undefined): VisitorIds {
  return {
    clientId: message?.clientId ?? "",
    fingerprintId: message?.fingerprintId ?? "",
    userId: message?.userId ?? "",
  };
}

export function signalsOf(message: SentSignalsMessage | undefined): SentSignals {
  return message ?? NO_SIGNALS;
}
