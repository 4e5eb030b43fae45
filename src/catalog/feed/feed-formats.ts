import { FeedFormat as FeedFormatMessage } from "../../gen/aisle/v1/feed_pb.js";
import type { FeedFormat } from "./feed-reader.js";

const FORMATS: Readonly<Record<FeedFormat, FeedFormatMessage>> = {
  google: FeedFormatMessage.GOOGLE,
  ceneo: FeedFormatMessage.CENEO,
  csv: FeedFormatMessage.CSV,
  tsv: FeedFormatMessage.TSV,
  jsonl: FeedFormatMessage.JSONL,
};

/** The message of a format; UNSPECIFIED for any other word. */
export function feedFormatMessage(format: string): FeedFormatMessage {
  return Object.entries(FORMATS).find(([word]) => word === format)?.[1] ?? FeedFormatMessage.UNSPECIFIED;
}

/** The word of a format: "" for UNSPECIFIED, undefined for an unknown one. */
export function feedFormatWord(format: FeedFormatMessage): string | undefined {
  if (format === FeedFormatMessage.UNSPECIFIED) return "";
  return Object.entries(FORMATS).find(([, message]) => message === format)?.[0];
}
