import { type Duration, durationFromMs } from "@bufbuild/protobuf/wkt";

const DAY_S = 86_400;

/** Typed days as a message. */
export function durationOfDays(days: number): Duration {
  return durationFromMs(Math.round(days * DAY_S * 1000));
}

export function daysOf(duration: Duration | undefined): number | undefined {
  return duration && (Number(duration.seconds) + duration.nanos / 1e9) / DAY_S;
}
