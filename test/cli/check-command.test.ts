import { createServer, type Http2Server } from "node:http2";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { runCommand } from "./run-command.js";

let aisle: Awaited<ReturnType<typeof openAisle>>;
let server: Http2Server;
beforeEach(async () => {
  aisle = await openAisle();
  await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
  server = createServer(connectNodeAdapter({ routes: (router) => aisle.routes(router) }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.close();
});

async function check(...more: string[]) {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return runCommand(["check", "--app", "shop", ...more], { env: { AISLE_SERVER: `http://127.0.0.1:${port}` } });
}

const view = (product_ids: string) =>
  aisle.trace({ app_id: "shop", action_type: "product_view", c_id: "c1", product_ids });

async function feed() {
  const products = [
    { productId: "PAN-02-A", title: "Pan", variantGroupId: "PAN-02", sku: "S-77" },
    { productId: "shop_DE_123_456", title: "Pot" },
    { productId: "0815", title: "Lid" },
  ];
  const batches = async function* () {
    yield { appId: "shop", products };
  };
  await aisle.rpc.catalog.upsertProducts(batches());
}

it("aisle check lists ids that the catalogue does not know, and the products that are probably meant", async () => {
  await feed();
  for (const id of ["PAN-02-A", "PAN-02", "456", "pan02a", "815", "nothing", "nothing", "web:0815:x"]) await view(id);
  const { stdout, exitCode } = await check();
  expect(exitCode).toBe(0);
  const lines = stdout.split("\n");
  expect(lines[0]).toBe("3 products in the catalogue, 8 events with products read");
  expect(lines[1]).toBe("6 events name 5 products that the catalogue does not know:");
  const probably = (id: string) => lines.find((line) => line.startsWith(`${id} `))?.split(/ {2,}/);
  expect(probably("nothing")?.slice(0, 2)).toEqual(["nothing", "2"]);
  expect(probably("456")?.at(-1)).toBe("shop_DE_123_456");
  expect(probably("pan02a")?.at(-1)).toBe("PAN-02-A");
  expect(probably("815")?.at(-1)).toBe("0815");
  expect(probably("web:0815:x")?.at(-1)).toBe("0815");
  expect(stdout).toContain("Send the id, SKU or item_group_id of the feed");
  const { unknownProducts } = JSON.parse((await check("--json")).stdout);
  expect(unknownProducts[0]).toMatchObject({ productId: "nothing", eventCount: 2 });
});

it("aisle check knows groups of variants and SKUs, and says when the catalogue knows everything", async () => {
  await feed();
  expect((await check()).stdout).toContain("No event names a product yet");
  await view("PAN-02");
  await aisle.trace({ app_id: "shop", action_type: "product_view", c_id: "c1", product_skus: "S-77" });
  expect((await check()).stdout).toContain("The catalogue knows every product in them");
});

it("aisle check advises to import a feed into an empty catalogue", async () => {
  await view("a");
  expect((await check()).stdout).toContain('import a feed with "aisle import products"');
});

it("products of events are counted by whether the catalogue knows them", async () => {
  await feed();
  await view("PAN-02");
  expect(aisle.metrics.counts.get("event_products")).toBeUndefined();
  await aisle.recommend({ appId: "shop", productInteractions: [] }); // reads the catalogue into memory
  const before = aisle.metrics.counts.get("event_products") ?? 0;
  await view("PAN-02|nothing");
  expect((aisle.metrics.counts.get("event_products") ?? 0) - before).toBe(2);
});
