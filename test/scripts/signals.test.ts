import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { type ServerProcess, startServer } from "../fixtures/server.js";

const BODY = "app_id=nobody&action_type=other";

/** A server and a request to it whose head it has read and whose body has not been sent. */
async function serverWithOpenRequest(): Promise<{ server: ServerProcess; socket: Socket }> {
  const directory = await mkdtemp(join(tmpdir(), "aisle-signals-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const server = await startServer({ directory });
  const { hostname, port } = new URL(server.facadeUrl);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined); // a server that ends at once resets it
  socket.setEncoding("utf8");
  const head = ["POST /trace HTTP/1.1", "Host: shop", `Content-Length: ${BODY.length}`, "Expect: 100-continue"];
  socket.write(`${head.join("\r\n")}\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n`);
  expect(String(await once(socket, "data"))).toContain("100 Continue");
  return { server, socket };
}

it("npm start answers the request under way when one Ctrl-C arrives twice, from the terminal and from npm", async () => {
  const { server, socket } = await serverWithOpenRequest();
  const answer = once(socket, "data");
  // Two kinds of signal, because the kernel may make one of two that are equal.
  server.child.kill("SIGTERM");
  const ended = server.end("SIGINT");
  socket.write(BODY);
  expect(String(await answer)).toContain("Invalid app_id");
  expect(await ended).toBe(0);
});

it("npm start ends at once on a later second signal, even with a request under way", async () => {
  const { server } = await serverWithOpenRequest();
  server.child.kill("SIGTERM");
  await wait(1_200);
  await server.end("SIGTERM");
  expect(server.child.signalCode).toBe("SIGKILL");
});
