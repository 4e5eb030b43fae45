import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { rpcClients, type ServerProcess, startServer, temporaryDirectory } from "../fixtures/server.js";

const FORM = "app_id=shop&action_type=product_view&product_ids=p1&c_id=c1";

async function shopServer(...flags: string[]) {
  const directory = await temporaryDirectory();
  const server = await startServer({ directory, flags });
  await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
  return { server, directory };
}

async function connection({ facadeUrl }: ServerProcess): Promise<Socket> {
  const socket = connect(Number(new URL(facadeUrl).port), "127.0.0.1");
  socket.on("error", () => undefined); // a reset says as much as a close
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** A request whose head the server has read and whose body it waits for. */
async function requestUnderWay(server: ServerProcess) {
  const socket = await connection(server);
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const head = ["POST /trace HTTP/1.1", "Host: aisle", "Expect: 100-continue", `Content-Length: ${FORM.length}`];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  await expect.poll(() => text, { interval: 5 }).toContain("100 Continue");
  const closed = once(socket, "close");
  return {
    closed,
    async finish(): Promise<string> {
      socket.write(FORM);
      await closed;
      return text;
    },
  };
}

it("a server goes on after SIGHUP and SIGUSR2, which others use for reading files again", async () => {
  const { server } = await shopServer();
  for (const signal of ["SIGHUP", "SIGUSR2"] as const) {
    server.child.kill(signal);
    const answer = await fetch(`${server.facadeUrl}/trace`, { method: "POST", body: new URLSearchParams(FORM) });
    expect([signal, answer.status, server.child.exitCode]).toEqual([signal, 200, null]);
  }
});

/** Resolves when the storefronts' port is closed to new connections. */
async function untilClosed({ facadeUrl }: ServerProcess): Promise<void> {
  const isOpen = () =>
    fetch(`${facadeUrl}/healthz`).then(
      () => true,
      () => false,
    );
  await expect.poll(isOpen, { interval: 10, timeout: 10_000 }).toBe(false);
}

async function lostOf(directory: string, ids: readonly string[]): Promise<string[]> {
  const { events } = rpcClients((await startServer({ directory })).rpcUrl);
  const lost: string[] = [];
  for (let at = 0; at < ids.length; at += 50) {
    const look = (eventId: string) => events.getEvent({ appId: "shop", eventId }).catch(() => lost.push(eventId));
    await Promise.all(ids.slice(at, at + 50).map(look));
  }
  return lost;
}

describe.each(["SIGTERM", "SIGINT"] as const)("a server stopped by %s", (signal) => {
  it("answers the requests under way, then exits with 0", async () => {
    const { server, directory } = await shopServer();
    const requests = await Promise.all(Array.from({ length: 5 }, () => requestUnderWay(server)));
    const ended = server.end(signal);
    await untilClosed(server);
    const answers = await Promise.all(requests.map((request) => request.finish()));
    const ids = answers.map((text) => {
      expect(text).toContain("HTTP/1.1 200 OK\r\n");
      expect(text.toLowerCase()).toContain("connection: close\r\n");
      return /^x-service-event-id: (\S+)$/m.exec(text)?.[1] ?? "";
    });
    expect(await ended).toBe(0);
    expect(await lostOf(directory, ids)).toEqual([]);
  });
});

describe("a stopping server", () => {
  it("under load loses no event that was answered 200, sends no other answers, and exits with 0", async () => {
    const { server, directory } = await shopServer();
    const ids: string[] = [];
    const others: number[] = [];
    const caller = async () => {
      for (;;) {
        try {
          const body = new URLSearchParams(FORM);
          const answer = await fetch(`${server.facadeUrl}/trace`, { method: "POST", body });
          await answer.arrayBuffer();
          if (answer.status === 200) ids.push(answer.headers.get("x-service-event-id") ?? "");
          else others.push(answer.status);
        } catch {
          return; // the port is closed
        }
      }
    };
    const callers = Promise.all(Array.from({ length: 16 }, caller));
    await expect.poll(() => ids.length, { interval: 5, timeout: 20_000 }).toBeGreaterThan(200);
    expect(await server.end("SIGTERM")).toBe(0);
    await callers;
    expect(others).toEqual([]);
    expect(await lostOf(directory, ids)).toEqual([]);
  });

  it("serves on for a time, not ready, and lets connections go", async () => {
    const { server, directory } = await shopServer("--pre-stop", "2s");
    const { events } = rpcClients(server.rpcUrl);
    const event = { actionType: "product_view", products: [{ productId: "p1" }], visitor: { clientId: "c" } };
    const ids = [(await events.recordEvent({ appId: "shop", event })).eventId];
    const from = performance.now();
    const ended = server.end("SIGTERM");
    const readiness = async () => (await fetch(`${server.facadeUrl}/readyz`)).status;
    await expect.poll(readiness, { interval: 5, timeout: 1_500 }).toBe(503);
    const answer = await fetch(`${server.facadeUrl}/trace`, { method: "POST", body: new URLSearchParams(FORM) });
    expect([answer.status, answer.headers.get("connection")]).toEqual([200, "close"]);
    ids.push(answer.headers.get("x-service-event-id") ?? "");
    ids.push((await events.recordEvent({ appId: "shop", event })).eventId);
    expect(await ended).toBe(0);
    expect(performance.now() - from).toBeGreaterThan(1_900);
    expect(await lostOf(directory, ids)).toEqual([]);
  });

  it("waits neither for idle connections nor for ever for a request that does not come", async () => {
    const { server } = await shopServer();
    const order: string[] = [];
    const silent = await connection(server);
    silent.once("close", () => order.push("silent"));
    const stuck = await requestUnderWay(server);
    void stuck.closed.then(() => order.push("stuck"));
    expect(await server.end("SIGTERM")).toBe(0);
    await stuck.closed;
    expect(order).toEqual(["silent", "stuck"]);
  });

  it("exits at once on a second signal", async () => {
    const { server } = await shopServer();
    await requestUnderWay(server);
    void server.end("SIGTERM");
    await untilClosed(server);
    // Signals that come close together count as one.
    const again = () => {
      if (server.child.signalCode === null) server.child.kill("SIGTERM");
      return server.child.signalCode;
    };
    await expect.poll(again, { interval: 200, timeout: 9_000 }).toBe("SIGKILL");
  });
});
