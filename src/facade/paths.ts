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
