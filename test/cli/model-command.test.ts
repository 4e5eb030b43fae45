import { createServer, type Http2Server } from "node:http2";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { runCommand } from "./run-command.js";

let aisle: Awaited<ReturnType<typeof openAisle>>;
let server: Http2Server;
let orders = 0;
beforeEach(async () => {
  orders = 0;
  aisle = await openAisle();
  await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
  const feed = async function* () {
    yield { appId: "shop", products: ["a", "b", "c"].map((productId) => ({ productId, title: productId })) };
  };
  await aisle.rpc.catalog.upsertProducts(feed());
  server = createServer(connectNodeAdapter({ routes: (router) => aisle.routes(router) }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.close();
});

async function model(...args: string[]) {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const [name = "", ...more] = args;
  return runCommand(["model", name, "--app", "shop", ...more], { env: { AISLE_SERVER: `http://127.0.0.1:${port}` } });
}

/** Trains after one more order. */
async function train(): Promise<string> {
  const fields = { app_id: "shop", action_type: "order", order_id: `o${orders++}`, c_id: `v${orders}` };
  await aisle.trace({ ...fields, product_ids: "a|b" });
  aisle.now.at += 60_000;
  return (await aisle.trainer.train("shop", () => undefined)).modelId;
}

const serving = async () => (await aisle.rpc.models.getModel({ appId: "shop" })).model;
const version = async () => (await aisle.recommend({ appId: "shop", productInteractions: [] })).version;

it("aisle model activate holds the app on a model until it is released", async () => {
  const [first, second] = [await train(), await train()];
  expect((await serving())?.modelId).toBe(second);
  const activated = await model("activate", "--id", first);
  expect(activated.stdout).toContain(`Model ${first} serves as version`);
  expect(activated.stdout).toContain("aisle model release");
  const held = await version();
  const third = await train();
  expect(await serving()).toMatchObject({ modelId: first, held: true });
  expect(await version()).toBe(held);
  const { stdout } = await model("list");
  expect(stdout.split("\n").find((line) => line.startsWith(first))).toContain(`version ${held}, held`);
  expect(stdout.split("\n")[1]).toContain(third);
  expect((await model("release")).stdout).toContain("The next training replaces it");
  expect(await serving()).toMatchObject({ modelId: third, held: false });
  expect(await version()).not.toBe(held);
  expect((await serving())?.modelId).toBe(third);
  expect((await serving())?.modelId).not.toBe(await train());
});

it("aisle model hold keeps the model that serves", async () => {
  expect((await model("hold")).exitCode).toBe(1);
  const first = await train();
  const before = await version();
  await model("hold");
  expect(await version()).toBe(before);
  await train();
  await train();
  await train();
  await train();
  expect((await serving())?.modelId).toBe(first);
});

it("aisle model diff shows what differs between two models", async () => {
  const first = await train();
  expect((await model("diff")).exitCode).toBe(1);
  const second = await train();
  const { stdout } = await model("diff");
  const [head = "", ...rows] = stdout.split("\n");
  expect(head.trim().split(/ {2,}/)).toEqual([first, second]);
  expect(rows.find((row) => row.startsWith("events "))?.split(/ {2,}/)).toEqual(["events", "1", "2"]);
  expect(rows.find((row) => row.startsWith("orders "))?.split(/ {2,}/)).toEqual(["orders", "1", "2"]);
  expect(rows.some((row) => row.startsWith("products "))).toBe(false);
  expect((await model("diff", "--to", "nothing")).stderr).toContain("There is no model nothing");
});

it("aisle model show says that a model was trained because the data grew", async () => {
  await train();
  for (let n = 0; n < 10; n++) await aisle.trace({ app_id: "shop", action_type: "product_view", product_ids: "a" });
  const ids = (await aisle.store.models.list("shop")).map(({ modelId }) => modelId);
  expect(await aisle.trainer.trainIfPossible("shop", "data_grew", ids[0])).toBe(true);
  expect((await model("show")).stdout).toMatch(/^trained +2026-[^,]+, because the data grew by a tenth$/m);
  expect(aisle.metrics.counts.get("trainings")).toBe(2);
});

it("aisle model show compares the model with bestsellers, page by page", async () => {
  const few = await train();
  expect((await model("show")).stdout).toContain("too few new visits and orders to compare it with bestsellers");
  // Visits to a and then b, or to c: what follows depends on what was viewed.
  for (let visit = 0; visit < 700; visit++) {
    const fields = { app_id: "shop", action_type: "product_view", c_id: `w${visit}` };
    for (const productId of visit % 2 === 0 ? ["a", "b"] : ["c", "a"]) {
      await aisle.trace({ ...fields, product_ids: productId });
      aisle.now.at += 1_000;
    }
  }
  const id = await train();
  const { evaluations } = (await serving()) ?? { evaluations: [] };
  expect(evaluations.length).toBeGreaterThan(0);
  const { stdout } = await model("show");
  expect(stdout).toContain(`model       ${id}`);
  expect(stdout).toMatch(/^trained +2026-[^,]+, as requested$/m);
  expect(stdout).toMatch(/^product +\d+ +\d+\.\d % +\d+\.\d % +-?\d+\.\d points \(-?\d+\.\d to -?\d+\.\d\)$/m);
  expect((await model("show", "--id", few, "--json")).stdout).toContain(few);
});
