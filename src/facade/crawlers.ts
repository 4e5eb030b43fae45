import { isbot } from "isbot";

/** A user agent without a browser name counts as a crawler only if it says so: shops' own programs post events, too. */
const CRAWLER_WORDS = /bot|crawl|spider|slurp|archiver|externalhit|mediapartners|lighthouse|\+https?:/i;

/** Size of the cache. A lookup costs some 7 µs, and a shop's visitors have few user agents. */
const MAX_KNOWN = 1000;

/** Maximum characters read of a user agent; browsers' are shorter. */
const MAX_LENGTH = 512;

/**
 * Tells whether a user agent is a crawler's or a headless browser's. The library's list also has HTTP clients with
 * which shop software sends events (`curl`, `GuzzleHttp`, `WordPress`); these do not count as crawlers.
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
