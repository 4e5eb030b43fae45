import { connect, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { lingerBriefly } from "../../../src/services/wire/unread-body.js";

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
