import { Code, ConnectError } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { rpcClients, startServer, temporaryDirectory } from "../fixtures/server.js";

const appId = "shop";

it("a watch of events ends at once when the server stops, and goes on after the restart without loss or doubles", async () => {
  const directory = await temporaryDirectory();
  const flags = ["--role", "services"];
  let server = await startServer({ directory, flags });
  await rpcClients(server.rpcUrl).apps.createApp({ app: { appId } });
  const record = async (n: number) => {
    const event = { actionType: "category_view", categories: [{ categoryId: "c" }], extraFields: { n: String(n) } };
    await rpcClients(server.rpcUrl).events.recordEvent({ appId, event });
  };
  const found: string[] = [];
  let resumeToken = "";
  const watch = async () => {
    for await (const message of rpcClients(server.rpcUrl).events.watchEvents({ appId, resumeToken })) {
      found.push(...message.events.map(({ extraFields }) => extraFields.n ?? ""));
      resumeToken = message.resumeToken;
    }
  };
  const failed = watch().catch((error: unknown) => ConnectError.from(error));
  await expect.poll(() => resumeToken).not.toBe("");
  for (const n of [1, 2]) await record(n);
  await expect.poll(() => found.length, { timeout: 10_000 }).toBe(2);
  await record(3);
  await server.end("SIGTERM");
  expect(await failed).toMatchObject({ code: Code.Unavailable });

  server = await startServer({ directory, flags });
  await record(4);
  const again = watch().catch((error: unknown) => ConnectError.from(error));
  await expect.poll(() => found.length, { timeout: 10_000 }).toBe(4);
  await record(5);
  await expect.poll(() => found, { timeout: 10_000 }).toContain("5");
  expect(found).toEqual(["1", "2", "3", "4", "5"]);
  await server.end("SIGTERM");
  await again;
});

it("a watch that is resumed after kill -9 of the server gets each acknowledged event, and none twice", async () => {
  const directory = await temporaryDirectory();
  const flags = ["--role", "services"];
  let server = await startServer({ directory, flags });
  await rpcClients(server.rpcUrl).apps.createApp({ app: { appId } });
  const found: string[] = [];
  let resumeToken = "";
  const watch = async () => {
    for await (const message of rpcClients(server.rpcUrl).events.watchEvents({ appId, resumeToken })) {
      found.push(...message.events.map(({ eventId }) => eventId));
      resumeToken = message.resumeToken;
    }
  };
  const acknowledged: string[] = [];
  const event = { actionType: "category_view", categories: [{ categoryId: "c" }] };
  const record = async (isBulk: boolean): Promise<void> => {
    const { events } = rpcClients(server.rpcUrl);
    for (;;) {
      if (isBulk) {
        const { recorded } = await events.batchRecordEvents({ appId, events: Array.from({ length: 50 }, () => event) });
        acknowledged.push(...recorded.map(({ eventId }) => eventId));
      } else acknowledged.push((await events.recordEvent({ appId, event })).eventId);
    }
  };
  const until = (ended: Promise<unknown>) => ended.catch(() => undefined); // the server was killed
  for (let round = 0; round < 3; round++) {
    const watching = until(watch());
    await expect.poll(() => resumeToken, { timeout: 10_000 }).not.toBe("");
    const before = found.length;
    const recording = [false, false, true].map((isBulk) => until(record(isBulk)));
    await expect.poll(() => found.length, { timeout: 20_000 }).toBeGreaterThan(before + 100);
    await server.end("SIGKILL");
    await Promise.all([watching, ...recording]);
    server = await startServer({ directory, flags });
  }
  const watching = until(watch());
  await expect.poll(() => acknowledged.every((id) => found.includes(id)), { timeout: 20_000 }).toBe(true);
  expect(new Set(found).size).toBe(found.length);
  expect(resumeToken.length).toBeLessThanOrEqual(1024);
  await server.end("SIGTERM");
  await watching;
});
