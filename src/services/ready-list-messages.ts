import type { MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { InvalidArgument } from "../domain/errors.js";
import { LIST_DAYS, NO_READY_LIST, type ReadyList, type ReadyListKind } from "../domain/frame.js";
import {
  ReadyListKind as KindMessage,
  type ReadyList as ReadyListMessage,
  type ReadyListSchema,
} from "../gen/aisle/v1/ready_list_pb.js";

const KINDS: readonly (readonly [ReadyListKind, KindMessage])[] = [
  ["recently_viewed", KindMessage.RECENTLY_VIEWED],
  ["buy_again", KindMessage.BUY_AGAIN],
  ["new_arrivals", KindMessage.NEW_ARRIVALS],
  ["trending", KindMessage.TRENDING],
  ["bestsellers", KindMessage.BESTSELLERS],
];

const DAY_S = 86_400;

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
  const days = Number(asked.period.seconds) / DAY_S;
  if (!Number.isInteger(days) || asked.period.nanos !== 0 || days < 1 || days > limits.most)
    throw new InvalidArgument(`${path}.period`, "invalid", `1 to ${limits.most} whole days`);
  return { kind, days };
}

export function readyListMessage({ kind, days }: ReadyList): MessageInitShape<typeof ReadyListSchema> {
  const message = KINDS.find(([name]) => name === kind)?.[1] ?? KindMessage.UNSPECIFIED;
  return { kind: message, period: days === 0 ? undefined : durationFromMs(days * DAY_S * 1000) };
}
