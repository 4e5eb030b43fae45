import { isbot } from "isbot";

/** A user agent that names no browser is a crawler's only when it says so: shops' own programs post events, too. */
const CRAWLER_WORDS = /bot|crawl|spider|slurp|archiver|externalhit|mediapartners|lighthouse|\+https?:/i;

/** Answers remembered; one costs some 7 µs, and the visitors of a shop have few user agents. */
const MAX_KNOWN = 1000;

/** Characters read of a user agent; no browser's is as long. */
const MAX_LENGTH = 512;

/**
 * Tells whether a user agent is a crawler's, headless browsers included. The library's list also has the HTTP clients
 * that shop software sends its events with (`curl`, `GuzzleHttp`, `WordPress`): those are no crawlers.
 */
export function createCrawlerTest(): (userAgent: string) => boolean {
  const known = new Map<string, boolean>();
  return (userAgent) => {
    const text = userAgent.slice(0, MAX_LENGTH);
    const before = known.get(text);
    if (before !== undefined) return before;
    const isCrawler = (text.startsWith("Mozilla/") || CRAWLER_WORDS.test(text)) && isbot(text);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, isCrawler);
    return isCrawler;
  };
}
