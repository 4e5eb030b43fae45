import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { rpcClients, type ServerProcess, startServer, temporaryDirectory } from "../fixtures/server.js";
import { type AckState, describeWithStrace, readAcks, traceComplete } from "../fixtures/strace.js";

const CALLS = "openat,pwrite64,pwritev,writev,fdatasync,write,sendto,sendmsg";
// Slow returns make room for an answer that would not wait for them.
const SLOW = ["-e", "inject=fdatasync:delay_exit=40000", "-e", "inject=pwrite64:delay_exit=2000"];

/** A store with the app `shop`, so that the server under strace only writes events. */
async function directoryWithShop(): Promise<string> {
  const directory = await temporaryDirectory();
  const server = await startServer({ directory });
  await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
  expect(await server.end("SIGTERM")).toBe(0);
  return directory;
}

function post(server: ServerProcess, n: number): Promise<Response> {
  const form = { app_id: "shop", action_type: "product_view", product_ids: `p${n}`, c_id: `c${n}` };
  return fetch(`${server.facadeUrl}/trace`, { method: "POST", body: new URLSearchParams(form) });
}

async function idOf(answer: Response): Promise<string> {
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
  return answer.headers.get("x-service-event-id") ?? "";
}

/** Lets `act` send events to a server that is watched, and tells how far each event was when it was answered. */
async function watched(act: (server: ServerProcess) => Promise<string[]>): Promise<AckState[]> {
  const directory = await directoryWithShop();
  const trace = join(directory, "trace.txt");
  const watch = ["strace", "-D", "-f", "-y", "-s", "65536", "-e", `trace=${CALLS}`, ...SLOW, "-o", trace];
  const server = await startServer({ directory, under: watch });
  const ids = await act(server);
  expect(new Set(ids).size).toBe(ids.length);
  expect(await server.end("SIGTERM")).toBe(0);
  await expect.poll(() => traceComplete(trace, server.child.pid ?? 0), { timeout: 20_000 }).toBe(true);
  return [...readAcks(await readFile(trace, "latin1"), ids).values()];
}

const allDurable = (count: number) => Array.from({ length: count }, () => "durable");

describeWithStrace("the server's system calls show that", () => {
  it("no 200 of single events is sent before the event is on disk", async () => {
    const states = await watched(async (server) => {
      const ids: string[] = [];
      for (let n = 0; n < 12; n++) ids.push(await idOf(await post(server, n)));
      return ids;
    });
    expect(states).toEqual(allDurable(12));
  });

  it("no 200 of concurrent events is sent before the event is on disk", async () => {
    const states = await watched((server) => {
      const caller = async (first: number) => {
        const ids: string[] = [];
        for (let n = first; n < first + 5; n++) ids.push(await idOf(await post(server, n)));
        return ids;
      };
      return Promise.all(Array.from({ length: 16 }, (_, n) => caller(n * 5))).then((ids) => ids.flat());
    });
    expect(states).toEqual(allDurable(80));
  });

  it("no RPC answer is sent before the event is on disk", async () => {
    const states = await watched(async (server) => {
      const { events } = rpcClients(server.rpcUrl);
      const record = async (n: number) => {
        const event = { actionType: "product_view", products: [{ productId: `p${n}` }], visitor: { clientId: "c" } };
        return (await events.recordEvent({ appId: "shop", event })).eventId;
      };
      const first = [await record(0), await record(1), await record(2)];
      return [...first, ...(await Promise.all(Array.from({ length: 20 }, (_, n) => record(n))))];
    });
    expect(states).toEqual(allDurable(23));
  });

  it("after a failed sync, events get 503, the server is not ready, and every event answered 200 is stored", async () => {
    const directory = await directoryWithShop();
    // strace counts calls thread by thread, and threads take turns with the transactions.
    const inject = ["-P", join(directory, "data.mdb"), "-e", "inject=fdatasync:error=EIO:when=3+"];
    const under = ["strace", "-D", "-f", "-e", "trace=fdatasync", ...inject, "-o", "/dev/null"];
    const server = await startServer({ directory, under });
    const acknowledged: string[] = [];
    let refused = await post(server, 0);
    for (let n = 1; refused.status === 200 && n < 200; n++) {
      acknowledged.push(await idOf(refused));
      refused = await post(server, n);
    }
    const later = await Promise.all(Array.from({ length: 10 }, (_, n) => post(server, 1000 + n)));
    for (const answer of [refused, ...later]) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
      expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
      expect(answer.headers.has("x-service-event-id")).toBe(false);
      expect(await answer.json()).toEqual({ error: "Service temporarily unavailable" });
    }
    const ready = await fetch(`${server.facadeUrl}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { error: "Not ready", reason: expect.any(String) }]);
    expect((await fetch(`${server.facadeUrl}/healthz`)).status).toBe(200);
    await server.end("SIGKILL");

    const again = await startServer({ directory });
    const { events } = await rpcClients(again.rpcUrl).events.listEvents({ appId: "shop", pageSize: 1000 });
    const stored = events.map((event) => event.eventId);
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(stored.slice(0, acknowledged.length)).toEqual(acknowledged);
    // Of the refused ones only the one whose sync failed may have reached the disk.
    expect(stored.length - acknowledged.length).toBeLessThanOrEqual(1);
  });
});
