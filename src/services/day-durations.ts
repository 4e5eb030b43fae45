/** Lengths of time that people think of in days: messages have a Duration, records a number of days. */
import { type Duration, durationFromMs } from "@bufbuild/protobuf/wkt";
import { InvalidArgument } from "../domain/errors.js";

const DAY_S = 86_400;

/** Whole days, 0 for a duration that is not set. Throws InvalidArgument that names the field. */
export function wholeDays(path: string, duration: Duration | undefined, least: number, most: number): number {
  const days = daysOf(duration) ?? 0;
  if (!(Number.isInteger(days) && days >= least && days <= most))
    throw new InvalidArgument(path, "invalid", `${least} to ${most} whole days`);
  return days;
}

/** Days above 0, of which parts count. Throws InvalidArgument that names the field. */
export function partialDays(path: string, duration: Duration, most: number): number {
  const days = daysOf(duration) ?? 0;
  if (!(days > 0 && days <= most)) throw new InvalidArgument(path, "invalid", `above 0, at most ${most} days`);
  return days;
}

export function daysOf(duration: Duration | undefined): number | undefined {
  return duration && (Number(duration.seconds) + duration.nanos / 1e9) / DAY_S;
}

export function durationOfDays(days: number): Duration {
  return durationFromMs(Math.round(days * DAY_S * 1000));
}
