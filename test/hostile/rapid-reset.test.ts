/** HTTP/2 connections that open and reset streams (CVE-2023-44487), and those of others beside them. */
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { callHeaders, END_HEADERS, END_STREAM, frame, framesIn, opening, streams, word } from "./http2-frames.js";
import { openRaw } from "./raw-socket.js";
import { expectStillServing, openCounted } from "./test-listener.js";

const GET_APP = "/aisle.v1.AppService/GetApp";
const CANCEL = word(8);
/** More than a connection may reset at once. */
const MANY = 1000;
/** A gRPC message of no bytes. */
const NOTHING = Buffer.alloc(5);

describe("an HTTP/2 connection", () => {
  it("that resets each stream at once is closed, and none of its calls runs", async () => {
    const { url, port, called } = await openCounted();
    const reset = streams(MANY, (id) => [
      frame("headers", END_HEADERS, id, callHeaders(GET_APP)),
      frame("data", END_STREAM, id, NOTHING),
      frame("resetStream", 0, id, CANCEL),
    ]);
    await openRaw(port, opening(reset)).closed;
    expect(called).not.toHaveBeenCalled();
    await expectStillServing(url);
  });

  it("that makes the server reset its streams is closed", async () => {
    const { url, port } = await openCounted();
    const broken = streams(MANY, (id) => [
      frame("headers", END_HEADERS, id, callHeaders(GET_APP)),
      frame("windowUpdate", 0, id, word(0)), // an error of the stream: RFC 9113, 6.9
    ]);
    await openRaw(port, opening(broken)).closed;
    await expectStillServing(url);
  });

  it("that its peer closed before it was read runs no call", async () => {
    const { url, port, called } = await openCounted();
    const call = [frame("headers", END_HEADERS, 1, callHeaders(GET_APP)), frame("data", END_STREAM, 1, NOTHING)];
    const peer = openRaw(port);
    await once(peer.socket, "connect");
    // What a peer does while the process is busy has happened when it looks.
    peer.socket.end(opening(...call));
    await peer.closed;
    expect(called).not.toHaveBeenCalled();
    await expectStillServing(url);
    expect(called).toHaveBeenCalledTimes(1);
  });

  it("whose calls time out again and again gets GOAWAY before Node rejects its calls", async () => {
    const { url, port, called } = await openCounted();
    const late = streams(12_000, (id) => [
      frame("headers", END_HEADERS, id, callHeaders(GET_APP, [["grpc-timeout", "2m"]])),
      frame("resetStream", 0, id, CANCEL),
    ]);
    const peer = openRaw(port, opening(late));
    const toldToComeAgain = (received: Buffer) =>
      framesIn(received).some(({ type, payload }) => type === "goAway" && payload.readUInt32BE(4) === 0);
    expect(toldToComeAgain(await peer.until(toldToComeAgain))).toBe(true);
    expect(called).not.toHaveBeenCalled();
    await expectStillServing(url);
  });

  it("that resets a few of its calls continues", async () => {
    const { port } = await openCounted();
    const some = streams(90, (id) => [
      frame("headers", END_HEADERS, id, callHeaders(GET_APP)),
      id === 179 ? frame("data", END_STREAM, id, NOTHING) : frame("resetStream", 0, id, CANCEL),
    ]);
    const peer = openRaw(port, opening(some));
    const answered = (received: Buffer) =>
      framesIn(received).some(({ type, streamId }) => type === "headers" && streamId === 179);
    expect(answered(await peer.until(answered))).toBe(true);
  });

  it("that resets streams with a deadline continues, or gets GOAWAY before any call is lost", async () => {
    const { url, port, called } = await openCounted();
    const late = streams(1200, (id) => [
      frame("headers", END_HEADERS, id, callHeaders(GET_APP, [["grpc-timeout", "2m"]])),
      id === 2399 ? frame("data", END_STREAM, id, NOTHING) : frame("resetStream", 0, id, CANCEL),
    ]);
    const last = (received: Buffer) =>
      framesIn(received).some(
        ({ type, streamId, payload }) =>
          (type === "headers" && streamId === 2399) || // answered
          (type === "goAway" && payload.readUInt32BE(0) < 2399 && payload.readUInt32BE(4) === 0),
      );
    await openRaw(port, opening(late)).until(last);
    expect(called.mock.calls.length).toBeLessThanOrEqual(1);
    await expectStillServing(url);
  });
});
