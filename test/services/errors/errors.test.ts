import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import {
  AlreadyExists,
  Conflict,
  DataDamaged,
  InvalidArgument,
  NotFound,
  RateLimited,
  Unauthenticated,
  Unavailable,
} from "../../../src/domain/errors.js";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../../../src/gen/google/rpc/error_details_pb.js";
import { guarded, toConnectError } from "../../../src/services/errors/errors.js";

describe("an error for RPC callers", () => {
  it.each([
    [new InvalidArgument("event.products", "missing"), Code.InvalidArgument],
    [new NotFound("app"), Code.NotFound],
    [new AlreadyExists("app", "taken"), Code.AlreadyExists],
    [new Conflict("training_running", "under way"), Code.Aborted],
    [new Conflict("not_enough_data", "nothing there"), Code.FailedPrecondition],
    [new RateLimited(10, { limit: 100, windowMs: 1000 }), Code.ResourceExhausted],
    [new Unauthenticated("signature_unknown", "no secret made it"), Code.Unauthenticated],
    [new Unavailable("the store is down"), Code.Unavailable],
    [new DataDamaged("a record"), Code.Internal],
    [new TypeError("x is undefined"), Code.Internal],
    [Object.assign(new Error("closed"), { code: "ERR_STREAM_PREMATURE_CLOSE" }), Code.Canceled],
  ])("%s has its code", (error, code) => {
    expect(toConnectError(error).code).toBe(code);
  });

  it("names the field by its path, and whether it is missing", () => {
    const [details] = toConnectError(new InvalidArgument("event.products", "missing")).findDetails(BadRequestSchema);
    expect(details?.fieldViolations).toMatchObject([{ field: "event.products", reason: "FIELD_MISSING" }]);
  });

  it("has a reason for programs", () => {
    const [info] = toConnectError(new NotFound("frame_configuration")).findDetails(ErrorInfoSchema);
    expect(info).toMatchObject({ reason: "FRAME_CONFIGURATION_NOT_FOUND", domain: "aisle" });
  });

  it("says when to retry", () => {
    const [retry] = toConnectError(new RateLimited(9.5, { limit: 100, windowMs: 1000 })).findDetails(RetryInfoSchema);
    expect(retry?.retryDelay?.nanos).toBe(10_000_000);
  });

  it("names the exceeded limit", () => {
    const [info] = toConnectError(new RateLimited(9.5, { limit: 100, windowMs: 1000 })).findDetails(ErrorInfoSchema);
    expect(info?.metadata).toEqual({ limit: "100", window_seconds: "1" });
  });

  it("hides internal failures, which are logged in full", async () => {
    const seen: unknown[] = [];
    const fault = new TypeError("the secret of somebody");
    const call = guarded(
      (error) => seen.push(error),
      async () => {
        throw fault;
      },
    );
    const answer = await call().catch((error: unknown) => error);
    expect(answer).toBeInstanceOf(ConnectError);
    expect(String(answer)).not.toContain("secret");
    expect(seen).toEqual([fault]);
  });

  it("is not logged when the caller went away", async () => {
    const seen: unknown[] = [];
    const gone = Object.assign(new Error("aborted"), { code: "ECONNRESET" });
    await guarded(
      (error) => seen.push(error),
      async () => {
        throw gone;
      },
    )().catch(() => undefined);
    expect(seen).toEqual([]);
  });
});
