import type { MessageInitShape } from "@bufbuild/protobuf";
import { InvalidArgument } from "../domain/errors.js";
import { LIST_DAYS, NO_READY_LIST, type ReadyList, type ReadyListKind } from "../domain/frame.js";
import {
  ReadyListKind as KindMessage,
  type ReadyList as ReadyListMessage,
  type ReadyListSchema,
} from "../gen/aisle/v1/ready_list_pb.js";
import { durationOfDays, wholeDays } from "./day-durations.js";

const KINDS: readonly (readonly [ReadyListKind, KindMessage])[] = [
  ["recently_viewed", KindMessage.RECENTLY_VIEWED],
  ["buy_again", KindMessage.BUY_AGAIN],
  ["new_arrivals", KindMessage.NEW_ARRIVALS],
  ["trending", KindMessage.TRENDING],
  ["bestsellers", KindMessage.BESTSELLERS],
];

export function readReadyList(path: string, asked: ReadyListMessage | undefined): ReadyList {
  if (asked === undefined || asked.kind === KindMessage.UNSPECIFIED) return NO_READY_LIST;
  const kind = KINDS.find(([, message]) => message === asked.kind)?.[0];
  if (kind === undefined)
    throw new InvalidArgument(
      `${path}.kind`,
      "invalid",
      "RECENTLY_VIEWED, BUY_AGAIN, NEW_ARRIVALS, TRENDING or BESTSELLERS",
    );
  const limits = LIST_DAYS[kind];
  if (asked.period === undefined) return { kind, days: limits?.usual ?? 0 };
  if (limits === undefined) throw new InvalidArgument(`${path}.period`, "invalid", "none: this list has no period");
  return { kind, days: wholeDays(`${path}.period`, asked.period, 1, limits.most) };
}

export function readyListMessage({ kind, days }: ReadyList): MessageInitShape<typeof ReadyListSchema> {
  const message = KINDS.find(([name]) => name === kind)?.[1] ?? KindMessage.UNSPECIFIED;
  return { kind: message, period: days === 0 ? undefined : durationOfDays(days) };
}
