import type { FastifyRequest } from "fastify";
import type { Operation } from "./errors.js";

const GET = "GET, HEAD, OPTIONS";
const POST = "POST, OPTIONS";

/** The operation at a path, by whose rules its errors are written. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ["/subscription_status", "subscription_status"],
  ["/trace", "trace"],
  ["/trace.php", "trace"],
  ["/recommend", "recommend"],
]);

/** What each public path takes, as `Allow` says it. The OpenAPI document describes these paths and no others. */
export const METHODS: ReadonlyMap<string, string> = new Map([
  ["/subscription_status", GET],
  ["/trace", POST],
  ["/trace.php", POST],
  ["/recommend", POST],
  ["/healthz", GET],
  ["/readyz", GET],
  ["/openapi.json", GET],
  ["/aisle.js", GET],
]);

/** The id that a caller gave its request; undefined for none that could stand in a header of ours. */
export function saneRequestId(sent: string | string[] | undefined): string | undefined {
  return typeof sent === "string" && /^[A-Za-z0-9._~:+/=@-]{1,128}$/.test(sent) ? sent : undefined;
}

/** Without its query. */
export function pathOf(request: FastifyRequest): string {
  const { url } = request;
  const mark = url.indexOf("?");
  return mark === -1 ? url : url.slice(0, mark);
}
