import { type Client, Code, ConnectError } from "@connectrpc/connect";
import type { FastifyReply } from "fastify";
import { LRUCache } from "lru-cache";
import type { AppService } from "../gen/aisle/v1/app_service_pb.js";
import { Refused, TEXT } from "./errors.js";

/** Lifetime of a cached list of origins: a change applies everywhere within this time. */
export const ORIGINS_MAX_AGE_MS = 5000;

const MAX_APPS = 1000;
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/i;

export type Origins = ReturnType<typeof createOrigins>;

/**
 * Decides which pages may call an app. An app that lists no origins accepts calls from all pages. Asks the app service, and
 * caches its answers. `monotonicNow`: milliseconds that never go back.
 */
export function createOrigins(apps: Pick<Client<typeof AppService>, "getApp">, monotonicNow: () => number) {
  // Caches neither a failure nor an unknown app, which may exist a moment later.
  const known = new LRUCache<string, ReadonlySet<string>>({
    max: MAX_APPS,
    ttl: ORIGINS_MAX_AGE_MS,
    ttlResolution: 0,
    perf: { now: monotonicNow },
    ignoreFetchAbort: true,
    fetchMethod: async (appId) => {
      try {
        const { app } = await apps.getApp({ appId });
        return new Set(app?.allowedOrigins.map(normal));
      } catch (error) {
        if (error instanceof ConnectError && error.code === Code.NotFound) return undefined;
        throw error;
      }
    },
  });
  return {
    /**
     * Throws Refused 403 unless a page of `origin` may call the app. Accepts a request without an origin, and one to an
     * unknown app: the call itself reports that.
     */
    async check(appId: string, origin: string | undefined): Promise<void> {
      if (origin === undefined) return;
      const origins = await known.fetch(appId);
      if (origins !== undefined && origins.size > 0 && !origins.has(normal(origin)))
        throw new Refused(403, TEXT.originNotAllowed);
    },
    /** True when the app names `origin` in its list. */
    async lists(appId: string, origin: string): Promise<boolean> {
      return (await known.fetch(appId))?.has(normal(origin)) ?? false;
    },
  };
}

/** True for an Origin header that can be echoed: a scheme and a host. `null` and nonsense get no CORS headers. */
export function isWebOrigin(origin: string): boolean {
  return ORIGIN.test(origin);
}

/**
 * True when the page and the service belong to one site, so that the page may use the visitor's cookie. Sec-Fetch-Site
 * decides. Without it the hosts must be equal, or one a subdomain of the other. Sibling hosts (`www.` and `api.` of one
 * shop) look like siblings under a public suffix, so they need the header.
 */
export function isSameSite(origin: string, fetchSite: string | undefined, ownHost: string | undefined): boolean {
  if (fetchSite !== undefined) return fetchSite === "same-origin" || fetchSite === "same-site";
  if (ownHost === undefined || !URL.canParse(origin) || !URL.canParse(`http://${ownHost}`)) return false;
  const page = new URL(origin).hostname;
  const own = new URL(`http://${ownHost}`).hostname;
  return page !== "" && (page === own || page.endsWith(`.${own}`) || own.endsWith(`.${page}`));
}

function normal(origin: string): string {
  const lower = origin.toLowerCase();
  return lower.endsWith("/") ? lower.slice(0, -1) : lower;
}

/**
 * Our own CORS instead of @fastify/cors: that plugin decides before the body is read, and only the body names the app
 * whose origins apply. The exposed headers never change.
 */
const EXPOSED = "x-service-event-id, retry-after, ratelimit, ratelimit-policy, x-request-id";
/** Besides those with a meaning here: what monitoring in pages adds to each request. */
const ALLOWED_HEADERS =
  "content-type, idempotency-key, x-request-id, traceparent, tracestate, baggage, sentry-trace, b3, request-id, request-context, elastic-apm-traceparent, newrelic, x-datadog-origin, x-datadog-parent-id, x-datadog-sampling-priority, x-datadog-trace-id, x-requested-with, content-encoding";
const PREFLIGHT_SECONDS = "86400";

/**
 * Lets a page of `origin` read the answer. `Origin: null` and malformed origins get no CORS headers, and `*` is never
 * used.
 */
export function addCorsHeaders(reply: FastifyReply, origin: string): void {
  if (!isWebOrigin(origin)) return;
  reply.header("access-control-allow-origin", origin);
  reply.header("access-control-allow-credentials", "true");
  reply.header("access-control-expose-headers", EXPOSED);
}

/** Answers OPTIONS. It carries no app, so any origin passes; the call itself is checked. */
export function answerPreflight(reply: FastifyReply, origin: string | undefined, methods: string): FastifyReply {
  if (origin !== undefined && isWebOrigin(origin)) {
    reply.header("access-control-allow-methods", methods);
    reply.header("access-control-allow-headers", ALLOWED_HEADERS);
    reply.header("access-control-max-age", PREFLIGHT_SECONDS);
  }
  return reply.code(204).header("allow", methods).send();
}
