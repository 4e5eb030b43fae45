import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";

/** Makes a timestamp message from milliseconds since 1970. */
export function timestampOf(ms: number): Timestamp {
  const seconds = Math.floor(ms / 1000);
  return { $typeName: "google.protobuf.Timestamp", seconds: BigInt(seconds), nanos: (ms - seconds * 1000) * 1_000_000 };
}

/** Whole seconds of a duration, rounded up; 1 when none is given. */
export function wholeSeconds(duration: Duration | undefined): number {
  return duration === undefined ? 1 : Number(duration.seconds) + (duration.nanos > 0 ? 1 : 0);
}
