/** The operations of REST: their paths, and what they work with. */
import type { CallOptions, Client } from "@connectrpc/connect";
import type { Metrics } from "../adapters/metrics.js";
import type { AppService } from "../gen/aisle/v1/app_service_pb.js";
import type { EventService } from "../gen/aisle/v1/event_service_pb.js";
import type { RecommendationService } from "../gen/aisle/v1/recommendation_service_pb.js";
import type { SubscriptionService } from "../gen/aisle/v1/subscription_service_pb.js";
import type { StatusCookies } from "./cookies.js";
import type { Origins } from "./cors.js";
import type { Operation } from "./errors.js";
import type { SenderOf } from "./sender.js";

/** The calls that the facade makes of each service. */
export interface FacadeClients {
  readonly events: Pick<Client<typeof EventService>, "recordEvent">;
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, "getStatus" | "getLink" | "followLink">;
  readonly recommendations: Pick<Client<typeof RecommendationService>, "recommend" | "recommendPage">;
  readonly apps: Pick<Client<typeof AppService>, "getApp">;
}

export interface OperationParts extends FacadeClients {
  /** Of each call. */
  readonly callOptions: CallOptions | undefined;
  readonly origins: Origins;
  readonly statusCookies: StatusCookies;
  readonly senderOf: SenderOf;
  /** True for the user agent of a crawler. */
  readonly isCrawler: (userAgent: string) => boolean;
  /** Host of the public URL; undefined: the Host header of the request. */
  readonly publicHost: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly metrics: Metrics | undefined;
}

const GET = "GET, HEAD, OPTIONS";
const POST = "POST, OPTIONS";

/** The operation of a path, whose rules shape its errors. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ["/subscription_status", "subscription_status"],
  ["/trace", "trace"],
  ["/trace.php", "trace"],
  ["/recommend", "recommend"],
  ["/recommend_page", "recommend"],
]);

/** The methods of each public path, as in `Allow`. The OpenAPI document describes exactly these paths. */
export const METHODS: ReadonlyMap<string, string> = new Map([
  ...[...OPERATIONS.keys()].map((path) => [path, path === "/subscription_status" ? GET : POST] as const),
  ...["/healthz", "/readyz", "/openapi.json", "/aisle.js", "/aisle.css"].map((path) => [path, GET] as const),
]);
