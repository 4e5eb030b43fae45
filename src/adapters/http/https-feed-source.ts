/**
 * Reads feeds by https from addresses that shops chose. No shop may reach servers that only this machine can reach: every
 * address of each host is checked, those of redirects too, and the connection goes to a checked one.
 */
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { FeedFailure, type FeedVersion, type FetchFeed } from "../../catalog/feed/fetch-feed.js";
import { type AddressRules, checkedAddresses, connectionFailureOf, inTime, lookupOf } from "./checked-address.js";

export interface FeedLimits {
  /** From the first byte of the request to the last of the feed, ms. */
  readonly totalMs: number;
  /** Maximum wait for the answer, and between two pieces of it, ms. */
  readonly silenceMs: number;
  /** Maximum bytes as sent. */
  readonly bytes: number;
  readonly redirects: number;
}

const FEED_LIMITS: FeedLimits = { totalMs: 3_600_000, silenceMs: 60_000, bytes: 4 * 2 ** 30, redirects: 5 };

export interface HttpsFeedSourceOptions extends AddressRules {
  readonly limits?: Partial<FeedLimits>;
  /** Certificates trusted instead of the system's, in PEM. */
  readonly ca?: string;
}

export function createHttpsFeedSource(options: HttpsFeedSourceOptions): FetchFeed {
  const limits = { ...FEED_LIMITS, ...options.limits };
  return async (address, known, stopped) => {
    const ending = new AbortController();
    const signals = [ending.signal, AbortSignal.timeout(limits.totalMs), ...(stopped === undefined ? [] : [stopped])];
    const signal = AbortSignal.any(signals);
    const failureOf = (error: unknown) => {
      if (error instanceof FeedFailure) return error;
      return new FeedFailure(signal.aborted ? "timed_out" : connectionFailureOf(error), 0, { cause: error });
    };
    let url = usable(address);
    try {
      for (let hops = 0; ; hops++) {
        const addresses = await inTime(checkedAddresses(url, options), signal);
        const answer = await ask(url, known, { lookup: lookupOf(addresses), signal, ca: options.ca }, limits.silenceMs);
        const status = answer.statusCode ?? 0;
        if (status === 200) return feedOf(answer, limits, () => ending.abort(), failureOf);
        answer.destroy();
        if (status === 304 && (known.etag !== "" || known.lastModified !== "")) return undefined;
        const { location } = answer.headers;
        if (![301, 302, 303, 307, 308].includes(status) || location === undefined)
          throw new FeedFailure("refused", status);
        if (hops === limits.redirects) throw new FeedFailure("redirected", status);
        url = usable(location, url.href);
      }
    } catch (error) {
      throw failureOf(error);
    }
  };
}

function usable(text: string, base?: string): URL {
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined;
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "") {
    throw new FeedFailure("address_not_allowed");
  }
  return url;
}

interface AskOptions {
  readonly lookup: ReturnType<typeof lookupOf>;
  readonly signal: AbortSignal;
  readonly ca: string | undefined;
}

function ask(
  url: URL,
  known: FeedVersion,
  { ca, ...options }: AskOptions,
  silenceMs: number,
): Promise<IncomingMessage> {
  const headers = {
    accept: "application/xml, text/xml, text/csv, text/tab-separated-values, application/x-ndjson, */*;q=0.5",
    "accept-encoding": "gzip, identity;q=0.5",
    "user-agent": "Aisle",
    ...(known.etag !== "" && { "if-none-match": known.etag }),
    ...(known.lastModified !== "" && { "if-modified-since": known.lastModified }),
  };
  return new Promise((resolve, reject) => {
    // No agent: a kept connection would escape the next check.
    const sent = request(url, { ...options, headers, agent: false, ...(ca !== undefined && { ca }) });
    sent.setTimeout(silenceMs, () => sent.destroy(new FeedFailure("timed_out")));
    sent.once("response", resolve);
    sent.on("error", reject);
    sent.end();
  });
}

function feedOf(
  answer: IncomingMessage,
  { bytes }: FeedLimits,
  end: () => void,
  failureOf: (error: unknown) => FeedFailure,
) {
  const length = Number(answer.headers["content-length"] ?? Number.NaN);
  if (length > bytes) {
    end();
    throw new FeedFailure("too_large");
  }
  answer.on("error", () => undefined); // the loop below gets the error
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let read = 0;
    try {
      for await (const chunk of answer) {
        if (!Buffer.isBuffer(chunk)) continue;
        read += chunk.length;
        if (read > bytes) throw new FeedFailure("too_large");
        yield chunk;
      }
      if (!answer.complete) throw new FeedFailure("broken");
    } catch (error) {
      const failure = failureOf(error);
      throw failure.kind === "connection_failed" ? new FeedFailure("broken", 0, { cause: error }) : failure;
    } finally {
      end();
    }
  }
  return {
    version: { etag: answer.headers.etag ?? "", lastModified: answer.headers["last-modified"] ?? "" },
    totalBytes: Number.isNaN(length) ? null : length,
    chunks: chunks(),
    close: end,
  };
}
