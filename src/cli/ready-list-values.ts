/** Converts between typed ready lists of a frame and their message. */
import type { Duration } from "@bufbuild/protobuf/wkt";
import { InvalidArgumentError } from "commander";
import { type ReadyList, ReadyListKind } from "../gen/aisle/v1/ready_list_pb.js";
import { daysOf, durationOfDays } from "./days.js";

const LISTS: readonly (readonly [string, ReadyListKind])[] = [
  ["recently-viewed", ReadyListKind.RECENTLY_VIEWED],
  ["buy-again", ReadyListKind.BUY_AGAIN],
  ["new-arrivals", ReadyListKind.NEW_ARRIVALS],
  ["trending", ReadyListKind.TRENDING],
  ["bestsellers", ReadyListKind.BESTSELLERS],
];

/** A ready list, with a period where one was typed. */
export interface TypedList {
  readonly kind: ReadyListKind;
  readonly period?: Duration;
}

/** `bestsellers=7`: a list and its days. */
export function readyList(text: string): TypedList {
  const [name, days] = text.split("=", 2);
  const kind = LISTS.find(([known]) => known === name)?.[1];
  if (kind === undefined || (days !== undefined && !/^[1-9]\d{0,2}$/.test(days)))
    throw new InvalidArgumentError(
      `A list, and =days, is accepted; lists are ${LISTS.map(([known]) => known).join(", ")}.`,
    );
  return days === undefined ? { kind } : { kind, period: durationOfDays(Number(days)) };
}

export function readyListText(list: Pick<ReadyList, "kind" | "period"> | undefined): string {
  const name = LISTS.find(([, kind]) => kind === list?.kind)?.[0];
  if (name === undefined) return "";
  return list?.period === undefined ? name : `${name} of ${daysOf(list.period)} days`;
}
