/** Texts and numbers of what messages hold. */
import { type Duration, durationFromMs, type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";

/** The time in UTC as `2026-01-31 12:00:00Z`, "" when absent. */
export function timeText(time: Timestamp | undefined): string {
  if (!time) return "";
  const date = timestampDate(time);
  if (Number.isNaN(date.getTime())) return "";
  return date
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, "Z");
}

const DAY_S = 86_400;

/** Typed days as a message. */
export function durationOfDays(days: number): Duration {
  return durationFromMs(Math.round(days * DAY_S * 1000));
}

export function daysOf(duration: Duration | undefined): number | undefined {
  return duration && (Number(duration.seconds) + duration.nanos / 1e9) / DAY_S;
}

export function enumWord(values: Readonly<Record<number, string>>, value: number): string {
  return values[value]?.toLowerCase() ?? "other";
}
