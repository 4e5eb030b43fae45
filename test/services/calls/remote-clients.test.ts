import { once } from "node:events";
import type http2Module from "node:http2";
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { createRequire, syncBuiltinESMExports } from "node:module";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { connectServices } from "../../../src/services/calls/remote-clients.js";

/** The module as its exports can be replaced. */
const http2: typeof http2Module = createRequire(import.meta.url)("node:http2");

/** A HealthCheckResponse that says SERVING, as a gRPC message. */
const SERVING = Buffer.from([0, 0, 0, 0, 2, 8, 1]);

function answerHealth(stream: ServerHttp2Stream): void {
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.respond({ ":status": 200, "content-type": "application/grpc+proto" }, { waitForTrailers: true });
  stream.end(SERVING);
}

/** A server in place of the services, which does with each call what `answer` says, and a client of it. */
async function openServer(answer: (stream: ServerHttp2Stream) => void) {
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => undefined);
    session.on("stream", (stream) => {
      stream.on("error", () => undefined);
      stream.resume();
      answer(stream);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const services = connectServices(`http://127.0.0.1:${port}`);
  onTestFinished(async () => {
    services.close();
    for (const session of sessions) session.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { services, sessions };
}

it("a GOAWAY whose connection is replaced at once does not end the process", async () => {
  const connected = vi.spyOn(http2, "connect");
  syncBuiltinESMExports();
  onTestFinished(() => {
    connected.mockRestore();
    syncBuiltinESMExports();
  });
  const { services, sessions } = await openServer(answerHealth);
  await services.ready();
  const [first] = connected.mock.results;
  if (first?.type !== "return") throw new Error("no connection was made");
  // Not `once` of node:events, which would take the error.
  const closed = new Promise<void>((resolve) => first.value.once("close", resolve));
  // Comes after the library's own listener, which destroys the connection: its error is on the way when it is replaced.
  const replaced = new Promise<void>((resolve, reject) => {
    first.value.once("goaway", () => services.ready().then(resolve, reject));
  });
  for (const session of sessions) session.goaway(0);
  await closed; // an error that nobody takes is thrown before, and fails this file
  await replaced;
  expect(sessions.size).toBe(2);
});

it("a call that the server refused unprocessed is retried once", async () => {
  let refusals = 1;
  let calls = 0;
  const { services } = await openServer((stream) => {
    calls++;
    if (refusals-- > 0) stream.close(0x7);
    else answerHealth(stream);
  });
  await services.ready();
  expect(calls).toBe(2);
});

it("a call that is refused twice fails with UNAVAILABLE", async () => {
  let calls = 0;
  const { services } = await openServer((stream) => {
    calls++;
    stream.close(0x7);
  });
  await expect(services.ready()).rejects.toMatchObject({ code: 14, rawMessage: "no answer" });
  expect(calls).toBe(2);
});

it("a call that the server began is not retried", async () => {
  let calls = 0;
  const { services } = await openServer((stream) => {
    calls++;
    stream.close(0x2);
  });
  await expect(services.ready()).rejects.toMatchObject({ code: 14 });
  expect(calls).toBe(1);
});
