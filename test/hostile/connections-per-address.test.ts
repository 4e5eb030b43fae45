import { expect, it } from "vitest";
import { startServer, temporaryDirectory } from "../fixtures/server.js";
import { openRaw } from "./raw-socket.js";

const MOST = 20;
const HELLO = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
const isAnswered = (received: Buffer) => received.includes("HTTP/1.1 200");

it.each([
  ["REST", "facadeUrl"],
  ["RPC", "rpcUrl"],
] as const)("one address gets at most its limit of connections to the %s port, and these are served", async (_, of) => {
  const flags = ["--connections-per-address", String(MOST)];
  const server = await startServer({ directory: await temporaryDirectory(), flags });
  const port = Number(new URL(server[of]).port);
  const open = Array.from({ length: MOST }, () => openRaw(port, HELLO));
  for (const peer of open) expect(isAnswered(await peer.until(isAnswered))).toBe(true);

  expect(isAnswered(await openRaw(port, HELLO).closed)).toBe(false);
  expect(open.filter(({ socket }) => socket.closed)).toEqual([]);
  open[0]?.socket.destroy();
  const status = () =>
    openRaw(port, HELLO)
      .until(isAnswered)
      .then(isAnswered, () => false);
  await expect.poll(status, { interval: 20 }).toBe(true);
});

it("the limit of connections per address does not apply to a trusted proxy", async () => {
  const flags = ["--connections-per-address", "1", "--trusted-proxies", "127.0.0.1"];
  const server = await startServer({ directory: await temporaryDirectory(), flags });
  const port = Number(new URL(server.facadeUrl).port);
  const open = Array.from({ length: MOST }, () => openRaw(port, HELLO));
  for (const peer of open) expect(isAnswered(await peer.until(isAnswered))).toBe(true);
});
