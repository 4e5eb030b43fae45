import { connect, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { expect, it, onTestFinished } from "vitest";
import { EventService, RecordEventsRequestSchema } from "../../../src/gen/aisle/v1/event_service_pb.js";
import { lingerBriefly } from "../../../src/services/wire/unread-body.js";
import { openListener } from "./rpc-fixture.js";

const STALL_MS = 200;

it("a busy process sends the trailers of an answer before it resets the stream with an unread body", async () => {
  const server = createServer((request, response) => {
    setImmediate(() => {
      lingerBriefly(request, response, 5_000);
      response.writeHead(200);
      response.addTrailers({ "grpc-status": "8" });
      // Node has the answer, and nothing of it is sent: that is done in the next turn of the event loop.
      response.stream.once("finish", () => stall(STALL_MS));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const session = connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => {
    session.destroy();
    server.close();
  });
  const stream = session.request({ ":method": "POST" });
  stream.write("the rest never comes");
  stream.resume();
  const seen: string[] = [];
  stream.once("trailers", (trailers) => seen.push(`status ${trailers["grpc-status"]}`));
  await new Promise((resolve) => stream.once("close", resolve));
  expect([...seen, `reset ${stream.rstCode}`]).toEqual(["status 8", "reset 0"]);
});

function stall(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

it.each(["application/grpc", "application/grpc+json"])(
  "a refused stream of messages (%s) gets its status before the reset, while its caller sends on",
  async (type) => {
    const { url } = await openListener({
      routes: (router) =>
        void router.service(EventService, {
          async recordEvents(batches) {
            for await (const _ of batches) throw new ConnectError("There is no such app", Code.NotFound);
            return {};
          },
        }),
    });
    const session = connect(url);
    onTestFinished(() => session.destroy());
    const text = JSON.stringify({ appId: "a".repeat(20_000) });
    const request = create(RecordEventsRequestSchema, { appId: "a".repeat(20_000) });
    const bytes = type.endsWith("json") ? Buffer.from(text) : toBinary(RecordEventsRequestSchema, request);
    for (let call = 0; call < 20; call++) {
      const stream = session.request({
        ":method": "POST",
        ":path": "/aisle.v1.EventService/RecordEvents",
        "content-type": type,
      });
      const seen: string[] = [];
      stream.once("trailers", (trailers) => seen.push(`status ${trailers["grpc-status"]}`));
      stream.once("error", (error) => seen.push(error.message));
      stream.resume();
      const sendOn = () => stream.destroyed || stream.closed || stream.write(encodeEnvelope(0, bytes), sendOn);
      sendOn();
      await new Promise((resolve) => stream.once("close", resolve));
      expect([...seen, `reset ${stream.rstCode}`]).toEqual(["status 5", "reset 0"]);
    }
  },
);
