/** Work and memory that HTTP/2 connections leave behind: calls whose message does not come, answers that nobody takes. */
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, it, vi } from "vitest";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import type { ListenerLimits } from "../../src/services/wire/protocol-servers.js";
import { createFixtureRoutes, openListener } from "../services/wire/rpc-fixture.js";
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

/** A listener with an app whose answer is of 100 kB; its calls of GetApp are counted, and so is misuse. */
async function openCounted(limits: Partial<ListenerLimits> = {}) {
  const called = vi.fn();
  const onMisuse = vi.fn();
  const routes = createFixtureRoutes({ getAppCalled: { opened: Promise.resolve(), open: called } });
  const listener = await openListener({ routes, limits, onMisuse });
  const apps = createClient(AppService, createGrpcTransport({ baseUrl: listener.url }));
  await apps.createApp({ app: { appId: "shop", displayName: "x".repeat(100_000) } });
  return { ...listener, called, onMisuse, apps };
}

const lying = (path: string, flags = 0) =>
  [(id: number) => [frame("headers", END_HEADERS, id, callHeaders(path)), frame("data", flags, id, LIE)]] as const;
const ask = (id: number) => [
  frame("headers", END_HEADERS, id, callHeaders(GET_APP)),
  frame("data", END_STREAM, id, SHOP),
];
const isToldToGo = (received: Buffer) => framesIn(received).some(({ type }) => type === "goAway");

describe("calls whose message never comes", () => {
  it.each([GET_APP, RECORD_EVENTS])(
    "close the connection with the most of them when there are too many: %s",
    async (path) => {
      const { port, onMisuse, apps } = await openCounted({ openCalls: 500 });
      const few = openRaw(port, opening(streams(10, ...lying(path))));
      const peers = Array.from({ length: 6 }, () => openRaw(port, opening(streams(150, ...lying(path)))));
      await expect.poll(() => peers.filter((peer) => isToldToGo(peer.received())).length).toBeGreaterThanOrEqual(3);
      expect(isToldToGo(few.received())).toBe(false);
      expect(onMisuse).toHaveBeenCalled();
      expect((await apps.getApp({ appId: "shop" })).app?.appId).toBe("shop");
      // The server closes these connections with their calls.
      const gone = peers.filter((peer) => isToldToGo(peer.received()));
      await Promise.all(gone.map((peer) => peer.closed));
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

  it("close the connection with the most of them when there are too many", async () => {
    const { port, onMisuse, apps } = await openCounted({ unreadBytes: 3_000_000 });
    const few = openRaw(port, Buffer.concat([closedWindow, streams(2, ask)]));
    const most = openRaw(port, Buffer.concat([closedWindow, streams(35, ask)]));
    await most.closed;
    expect(isToldToGo(few.received())).toBe(false);
    expect(onMisuse).toHaveBeenCalledTimes(1);
    expect((await apps.getApp({ appId: "shop" })).app?.appId).toBe("shop");
  });
});
