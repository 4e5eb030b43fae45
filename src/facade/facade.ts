/**
 * The REST facade: three operations for storefronts and shops, translated to typed calls. It knows wire formats and
 * nothing of what lies behind the clients.
 */
import { type CallOptions, type Client, ConnectError } from "@connectrpc/connect";
import type { FastifyInstance } from "fastify";
import type { AppService } from "../gen/aisle/v1/app_service_pb.js";
import type { EventService } from "../gen/aisle/v1/event_service_pb.js";
import type { RecommendationService } from "../gen/aisle/v1/recommendation_service_pb.js";
import type { SubscriptionService } from "../gen/aisle/v1/subscription_service_pb.js";
import { createStatusCookies } from "./cookies.js";
import { createOrigins } from "./cors.js";
import { TEXT } from "./errors.js";
import { createLinkPages } from "./links.js";
import { openApiDocument } from "./openapi/document.js";
import { createRecommend } from "./recommend.js";
import { createRestServer, type RestServer, type RestServerOptions, sendError, sendJson } from "./rest-server.js";
import { createSenderOf, type NetworkOptions, NO_NETWORKS } from "./sender.js";
import { addFiles, type PublicFiles } from "./static-files.js";
import { createSubscriptionStatus } from "./subscription-status.js";
import { createOverloadRefusal, createTrace } from "./trace.js";

export interface FacadeOptions extends PublicFiles, Omit<RestServerOptions, "monotonicNow"> {
  /** The calls that the facade makes of each service. */
  readonly clients: {
    readonly events: Pick<Client<typeof EventService>, "recordEvent">;
    readonly subscriptions: Pick<Client<typeof SubscriptionService>, "getStatus" | "getLink" | "followLink">;
    readonly recommendations: Pick<Client<typeof RecommendationService>, "recommend" | "recommendPage">;
    readonly apps: Pick<Client<typeof AppService>, "getApp">;
  };
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
  const { clients, metrics, isFull, logger, publicUrl, now } = options;
  const callOptions: CallOptions | undefined =
    options.callTimeoutMs === undefined ? undefined : { timeoutMs: options.callTimeoutMs };
  const origins = createOrigins(clients.apps, now);
  const statusCookies = createStatusCookies(
    publicUrl?.toLowerCase().startsWith("https:") === true,
    options.cacheMaxAgeSeconds ?? 1800,
  );
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host;
  const senderOf = createSenderOf(options.networks ?? NO_NETWORKS, () => logger?.warn({}, UNNAMED_PROXY_WARNING));
  const trace = createTrace({ events: clients.events, origins, statusCookies, senderOf, callOptions, now, metrics });
  const recommend = createRecommend({ recommendations: clients.recommendations, origins, callOptions });
  const status = createSubscriptionStatus({ ...clients, origins, statusCookies, publicHost, callOptions });
  app.get("/subscription_status", answered("subscription_status", status));
  for (const path of ["/trace", "/trace.php"])
    app.post(path, { onRequest: createOverloadRefusal(isFull, metrics) }, answered("trace", trace));
  app.post("/recommend", answered("recommend", recommend.one));
  app.post("/recommend_page", answered("recommend", recommend.page));
  const pages = createLinkPages({
    subscriptions: clients.subscriptions,
    callOptions,
    onFailure: (error, requestId) => report(undefined, requestId, error),
  });
  // What a mail leaves behind a link may hold a slash, as `</a>` does.
  app.get("/s/*", pages.ask);
  app.post("/s/*", pages.follow);
}

function addHealth(app: FastifyInstance, { isStopping, ready }: FacadeOptions): void {
  app.get("/healthz", (_request, reply) => sendJson(reply, 200, '{"status":"ok"}'));
  app.get("/readyz", async (_request, reply) => {
    if (isStopping()) return sendError(reply, 503, TEXT.stopping);
    try {
      await ready();
    } catch (error) {
      const reason = error instanceof ConnectError ? { reason: error.rawMessage } : {};
      return sendJson(reply, 503, JSON.stringify({ error: TEXT.notReady, ...reason }));
    }
    return sendJson(reply, 200, '{"status":"ready"}');
  });
}

function addOpenApi(app: FastifyInstance, publicUrl: string): void {
  let document: string | undefined;
  app.get("/openapi.json", (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(publicUrl));
    return sendJson(reply, 200, document);
  });
}
