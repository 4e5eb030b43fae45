/** Work and memory that HTTP/2 connections leave behind: calls whose message does not come, answers that nobody takes. */
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, it, vi } from "vitest";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import type { ListenerLimits } from "../../src/services/wire/limits.js";
import { createFixtureRoutes, openListener } from "../services/wire/rpc-fixture.js";
import { callByGrpcJs } from "./grpc-callers.js";
import {
  callHeaders,
  END_HEADERS,
  END_STREAM,
  frame,
  framesIn,
  opening,
  PREFACE,
  settings,
  streams,
  word,
} from "./http2-frames.js";
import { openRaw } from "./raw-socket.js";

const GET_APP = "/aisle.v1.AppService/GetApp";
const RECORD_EVENTS = "/aisle.v1.EventService/RecordEvents";
const SHOP = Buffer.from([0, 0, 0, 0, 6, 0x0a, 4, ...Buffer.from("shop")]);
/** 25 bytes of a message of 4 MiB. */
const LIE = Buffer.concat([Buffer.from([0]), word(4 * 1024 * 1024 - 5), Buffer.alloc(20)]);

/** A listener with an app whose answer is of 100 kB; its calls of GetApp are counted. */
async function openCounted(limits: Partial<ListenerLimits> = {}) {
  const called = vi.fn();
  const routes = createFixtureRoutes({ getAppCalled: { opened: Promise.resolve(), open: called } });
  const listener = await openListener({ routes, limits });
  const apps = createClient(AppService, createGrpcTransport({ baseUrl: listener.url }));
  await apps.createApp({ app: { appId: "shop", displayName: "x".repeat(100_000) } });
  return { ...listener, called, apps };
}

const lying = (path: string, flags = 0) =>
  [(id: number) => [frame("headers", END_HEADERS, id, callHeaders(path)), frame("data", flags, id, LIE)]] as const;
const REFUSED = word(7);
const ask = (id: number) => [
  frame("headers", END_HEADERS, id, callHeaders(GET_APP)),
  frame("data", END_STREAM, id, SHOP),
];
/** Streams that were refused before they began. */
const refused = (received: Buffer) =>
  framesIn(received).filter(({ type, payload }) => type === "resetStream" && payload.equals(REFUSED)).length;

describe("calls whose message never comes", () => {
  it.each([GET_APP, RECORD_EVENTS])(
    "are refused beyond a limit over all connections, and the next calls are answered once they end: %s",
    async (path) => {
      const { address, port, apps } = await openCounted({ openCalls: 500 });
      const peers = Array.from({ length: 6 }, () => openRaw(port, opening(streams(150, ...lying(path)))));
      const inAll = () => peers.reduce((sum, peer) => sum + refused(peer.received()), 0);
      // One call of the 500 may be the one that made the app.
      await expect.poll(inAll).toBeGreaterThanOrEqual(400);
      expect(inAll()).toBeLessThanOrEqual(401);
      const { hasty } = await callByGrpcJs({ address, method: GET_APP, callers: 1, calls: 1, mostCalls: 1, forMs: 0 });
      expect(hasty.codes).toEqual({ Unavailable: 1 });
      for (const peer of peers) peer.socket.destroy();
      await expect
        .poll(() => apps.getApp({ appId: "shop" }).catch(() => undefined))
        .toMatchObject({
          app: { appId: "shop" },
        });
    },
  );

  it("never reach their implementation, and get DEADLINE_EXCEEDED in time", async () => {
    const { port, called } = await openCounted({ bodyTimeoutMs: 200 });
    const peer = openRaw(port, opening(streams(100, ...lying(GET_APP))));
    const statuses = (received: Buffer) =>
      framesIn(received).filter(({ type, streamId }) => type === "headers" && streamId > 0).length;
    await peer.until((received) => statuses(received) === 100);
    expect(called).not.toHaveBeenCalled();
  });
});

describe("unread answers", () => {
  const closedWindow = Buffer.concat([PREFACE, settings([[4, 0]])]);

  it("let no further call begin when there are too many, and are given up in time", async () => {
    const { port, apps } = await openCounted({ unreadBytes: 3_000_000, stallMs: 1_000 });
    const peer = openRaw(port, Buffer.concat([closedWindow, streams(35, ask)]));
    const outcome = () =>
      apps.getApp({ appId: "shop" }).then(
        () => "answered",
        (error: unknown) => Code[ConnectError.from(error).code],
      );
    await expect.poll(outcome).toBe("Unavailable");
    await expect.poll(outcome, { timeout: 10_000 }).toBe("answered");
    expect(peer.socket.destroyed).toBe(false);
  });
});
