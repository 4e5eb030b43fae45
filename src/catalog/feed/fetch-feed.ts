/** Why the reading of a feed failed. */
export const FEED_FAILURES = [
  "address_not_allowed",
  "host_not_found",
  "connection_failed",
  "certificate_refused",
  "timed_out",
  "redirected",
  "refused",
  "too_large",
  "broken",
] as const;

export type FeedFailureKind = (typeof FEED_FAILURES)[number];

const SENTENCES: Readonly<Record<FeedFailureKind, string>> = {
  address_not_allowed:
    "its address is not allowed: an https address of the public internet is, without user and password",
  host_not_found: "its host is not found",
  connection_failed: "the connection to its host failed",
  certificate_refused: "the certificate of its host is not trusted",
  timed_out: "it did not come in time",
  redirected: "it is redirected too often",
  refused: "its host refused it",
  too_large: "it is larger than is read",
  broken: "it broke off",
};

/** A feed could not be read from its address, or not to its end. */
export class FeedFailure extends Error {
  constructor(
    readonly kind: FeedFailureKind,
    /** HTTP status of the answer, 0 where there was none. */
    readonly status = 0,
    options?: { cause?: unknown },
  ) {
    super(`The feed was not read: ${SENTENCES[kind]}${status === 0 ? "" : ` (status ${status})`}`, options);
  }
}

/** Validators of a feed's last reading, to ask whether it has changed; "" if the host sent none. */
export interface FeedVersion {
  readonly etag: string;
  readonly lastModified: string;
}

export const NO_VERSION: FeedVersion = { etag: "", lastModified: "" };

export interface FetchedFeed {
  readonly version: FeedVersion;
  /** Size in bytes as sent; null if the host does not say. */
  readonly totalBytes: number | null;
  /** The bytes as sent, perhaps compressed. Can be read once. Throws FeedFailure if they break off or are too many. */
  readonly chunks: AsyncIterable<Uint8Array>;
  close(): void;
}

/**
 * Reads a feed from an https address; undefined if it has not changed since `known`.
 * @throws FeedFailure
 */
export type FetchFeed = (url: string, known: FeedVersion, signal?: AbortSignal) => Promise<FetchedFeed | undefined>;
