import type { IncomingHttpHeaders } from "node:http";
import type { SentSignals } from "../gen/aisle/v1/visitor_pb.js";

/** The signals against profiles that a browser sent: Global Privacy Control and Do Not Track. Undefined for none. */
export function signalsOf(headers: IncomingHttpHeaders): SentSignals | undefined {
  const globalPrivacyControl = isOne(headers["sec-gpc"]);
  const doNotTrack = isOne(headers.dnt);
  if (!globalPrivacyControl && !doNotTrack) return undefined;
  return { $typeName: "aisle.v1.SentSignals", globalPrivacyControl, doNotTrack };
}

function isOne(header: string | string[] | undefined): boolean {
  return typeof header === "string" && header.trim() === "1";
}
