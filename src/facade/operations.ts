import type { Operation } from "./errors.js";

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
  ["/subscription_status", GET],
  ["/trace", POST],
  ["/trace.php", POST],
  ["/recommend", POST],
  ["/recommend_page", POST],
  ["/healthz", GET],
  ["/readyz", GET],
  ["/openapi.json", GET],
  ["/aisle.js", GET],
  ["/aisle.css", GET],
]);
