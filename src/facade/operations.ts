import type { FastifyRequest } from "fastify";
import type { Operation } from "./errors.js";

const GET = "GET, HEAD, OPTIONS";
const POST = "POST, OPTIONS";

/** The operation of a path, whose rules shape its errors. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ["/subscription_status", "subscription_status"],
  ["/trace", "trace"],
  ["/trace.php", "trace"],
  ["/recommend", "recommend"],
]);

/** The methods of each public path, as in `Allow`. The OpenAPI document describes exactly these paths. */
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

/** The request id of a caller; undefined when it cannot be in a header of ours. */
export function saneRequestId(sent: string | string[] | undefined): string | undefined {
  return typeof sent === "string" && /^[A-Za-z0-9._~:+/=@-]{1,128}$/.test(sent) ? sent : undefined;
}

/** The path without its query. */
export function pathOf(request: FastifyRequest): string {
  const { url } = request;
  const mark = url.indexOf("?");
  return mark === -1 ? url : url.slice(0, mark);
}
