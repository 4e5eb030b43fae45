/** Why a feed was not read from its address. */
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

/** What a host said of a feed when it was last read, to ask whether it is another one by now; "" where it said nothing. */
export interface FeedVersion {
  readonly etag: string;
  readonly lastModified: string;
}

export const NO_VERSION: FeedVersion = { etag: "", lastModified: "" };

export interface FetchedFeed {
  readonly version: FeedVersion;
  /** Size of what is sent, null when that is not said. */
  readonly totalBytes: number | null;
  /** As it is sent, perhaps packed. May be walked once; throws FeedFailure when it breaks off or is too large. */
  readonly chunks: AsyncIterable<Uint8Array>;
  close(): void;
}

/**
 * Reads a feed from an https address; undefined when it is still the one of `known`.
 * @throws FeedFailure
 */
export type FetchFeed = (url: string, known: FeedVersion, signal?: AbortSignal) => Promise<FetchedFeed | undefined>;
