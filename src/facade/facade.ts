/**
 * The REST facade: three operations for storefronts and shops, translated to typed calls. It knows wire formats and
 * nothing of what lies behind the clients.
 */
import { ConnectError } from "@connectrpc/connect";
import type { FastifyInstance } from "fastify";
import { createStatusCookies } from "./cookies.js";
import { createOrigins } from "./cors.js";
import { TEXT } from "./errors.js";
import { createLinkPages } from "./links.js";
import { openApiDocument } from "./openapi/document.js";
import type { FacadeClients, OperationParts } from "./operations.js";
import { createRecommend } from "./recommend.js";
import { createRestServer, type RestServer, type RestServerOptions, sendError } from "./rest-server.js";
import { createCrawlerTest, createSenderOf, type NetworkOptions, NO_NETWORKS } from "./sender.js";
import { addFiles, type PublicFiles } from "./static-files.js";
import { createSubscriptionStatus } from "./subscription-status.js";
import { createOverloadRefusal, createTrace } from "./trace.js";

export interface FacadeOptions extends PublicFiles, Omit<RestServerOptions, "monotonicNow"> {
  readonly clients: FacadeClients;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back, for durations. Default: `now`. */
  readonly monotonicNow?: (() => number) | undefined;
  /** Proxies in front of the facade, and the shop's own servers. Default: none. */
  readonly networks?: NetworkOptions | undefined;
  /** Public address of the service. With `https:`, cookies also work across sites. */
  readonly publicUrl?: string | undefined;
  /** Lifetime of the subscription cookies; 0 turns them off. */
  readonly cacheMaxAgeSeconds?: number | undefined;
  /** Deadline of each call, for clients over a network. */
  readonly callTimeoutMs?: number | undefined;
  /** Resolves when an event could be made durable now. The answer shows the message of a ConnectError as the reason. */
  readonly ready: () => Promise<void>;
  /** Whether one more event would be refused now. Default: never. */
  readonly isFull?: (() => boolean) | undefined;
}

const UNNAMED_PROXY_WARNING =
  "Requests come through a proxy that is not named: all their visitors share one limit of links. Set --trusted-proxies (AISLE_TRUSTED_PROXIES) to the proxy's address or prefix";

/** Builds the facade without listening. */
export function createFacade(options: FacadeOptions): FastifyInstance {
  const { now, monotonicNow = now } = options;
  const server = createRestServer({ ...options, monotonicNow });
  addOperations(server, options);
  addHealth(server.app, options);
  addOpenApi(server.app, options.publicUrl ?? "/");
  addFiles(server.app, options);
  return server.app;
}

/** What the documented interface offers, and the links in mails. */
function addOperations({ app, answered, report }: RestServer, options: FacadeOptions): void {
  const { metrics, isFull } = options;
  const parts = partsOf(options);
  const trace = createTrace(parts);
  const recommend = createRecommend(parts);
  app.get("/subscription_status", answered("subscription_status", createSubscriptionStatus(parts)));
  for (const path of ["/trace", "/trace.php"])
    app.post(path, { onRequest: createOverloadRefusal(isFull, metrics) }, answered("trace", trace));
  app.post("/recommend", answered("recommend", recommend.one));
  app.post("/recommend_page", answered("recommend", recommend.page));
  const pages = createLinkPages(parts, report);
  // What a mail leaves behind a link may hold a slash, as `</a>` does.
  app.get("/s/*", pages.ask);
  app.post("/s/*", pages.follow);
}

function partsOf(options: FacadeOptions): OperationParts {
  const { clients, metrics, logger, publicUrl, callTimeoutMs, now, monotonicNow = now } = options;
  const isSecure = publicUrl?.toLowerCase().startsWith("https:") === true;
  return {
    ...clients,
    callOptions: callTimeoutMs === undefined ? undefined : { timeoutMs: callTimeoutMs },
    origins: createOrigins(clients.apps, monotonicNow),
    statusCookies: createStatusCookies(isSecure, options.cacheMaxAgeSeconds ?? 1800),
    senderOf: createSenderOf(options.networks ?? NO_NETWORKS, () => logger?.warn({}, UNNAMED_PROXY_WARNING)),
    isCrawler: createCrawlerTest(),
    publicHost: publicUrl === undefined ? undefined : new URL(publicUrl).host,
    now,
    metrics,
  };
}

function addHealth(app: FastifyInstance, { isStopping, ready }: FacadeOptions): void {
  app.get("/healthz", (_request, reply) => reply.send({ status: "ok" }));
  app.get("/readyz", async (_request, reply) => {
    if (isStopping()) return sendError(reply, 503, TEXT.stopping);
    try {
      await ready();
    } catch (error) {
      const reason = error instanceof ConnectError ? { reason: error.rawMessage } : {};
      return reply.code(503).send({ error: TEXT.notReady, ...reason });
    }
    return reply.send({ status: "ready" });
  });
}

function addOpenApi(app: FastifyInstance, publicUrl: string): void {
  let document: string | undefined;
  app.get("/openapi.json", (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(publicUrl));
    return reply.type("application/json; charset=utf-8").send(document);
  });
}
