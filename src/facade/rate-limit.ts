/**
 * Tells backend senders the rest of their limit, by the header fields of draft-ietf-httpapi-ratelimit-headers
 * (structured fields, RFC 9651):
 *
 *   RateLimit-Policy: "server";q=100;w=1     a quota of 100 within 1 s
 *   RateLimit: "server";r=57;t=1             57 left; the quota is whole again after 1 s
 *
 * Seconds are whole, rounded up.
 */
export function rateLimitHeaders(
  limit: number,
  windowSeconds: number,
  remaining: number,
  resetSeconds: number,
): Readonly<Record<string, string>> {
  return {
    ratelimit: `"server";r=${remaining};t=${resetSeconds}`,
    "ratelimit-policy": `"server";q=${limit};w=${Math.max(1, windowSeconds)}`,
  };
}
