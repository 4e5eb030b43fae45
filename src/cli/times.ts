import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";

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
