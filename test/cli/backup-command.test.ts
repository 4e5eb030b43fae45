import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { rpcClients, runAisle, startServer, temporaryDirectory } from "../fixtures/server.js";

const recorded = async (rpcUrl: string) => {
  const { events } = rpcClients(rpcUrl);
  const { events: found } = await events.listEvents({ appId: "shop" });
  return found.map(({ eventId }) => eventId);
};

it("a backup of a running server has everything that the server acknowledged", async () => {
  const root = await temporaryDirectory();
  const store = `embedded:${join(root, "store")}`;
  const server = await startServer({ store });
  const { apps, events } = rpcClients(server.rpcUrl);
  await apps.createApp({ app: { appId: "shop" } });
  const record = (productId: string) =>
    events.recordEvent({
      appId: "shop",
      event: { actionType: "product_view", visitor: { clientId: "c1" }, products: [{ productId }] },
    });
  const { eventId } = await record("lamp");
  const copy = join(root, "copies/today");
  expect(await runAisle(["backup", "--store", store, "--to", copy])).toEqual({
    code: 0,
    stdout: `The store is copied to ${copy}\n`,
    stderr: "",
  });
  await record("vase");
  const restored = await startServer({ store: `embedded:${copy}` });
  expect(await recorded(restored.rpcUrl)).toEqual([eventId]);
  expect(await recorded(server.rpcUrl)).toHaveLength(2);
});

it("a backup is made neither over a file, nor of a missing store, nor of a database", async () => {
  const root = await temporaryDirectory();
  const store = `embedded:${join(root, "store")}`;
  const refusal = async (...args: string[]) => {
    const { code, stdout, stderr } = await runAisle(["backup", ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    return stderr;
  };
  expect(await refusal("--store", store, "--to", join(root, "copy"))).toContain("no store is there");
  expect(await refusal("--store", "mongodb://127.0.0.1/shop", "--to", join(root, "copy"))).toContain("embedded:DIR");
  await (await startServer({ store })).end("SIGTERM");
  expect(await refusal("--store", store, "--to", join(root, "store"))).toContain("--to");
  expect(await readdir(root)).toEqual(["store"]);
});
