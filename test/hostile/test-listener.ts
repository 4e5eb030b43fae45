import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { expect, vi } from "vitest";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import { createFixtureRoutes, openListener } from "../services/wire/rpc-fixture.js";

/** A listener whose calls of GetApp are counted. */
export async function openCounted(certificate?: { readonly cert: string; readonly key: string }) {
  const called = vi.fn();
  const listener = await openListener({
    ...(certificate && { certificate }),
    routes: createFixtureRoutes({ getAppCalled: { opened: Promise.resolve(), open: called } }),
  });
  return { ...listener, called };
}

export async function expectStillServing(url: string, ca?: string) {
  const grpc = createClient(AppService, createGrpcTransport({ baseUrl: url, ...(ca && { nodeOptions: { ca } }) }));
  await expect(grpc.getApp({ appId: "none" })).rejects.toMatchObject({ code: Code.NotFound });
}
