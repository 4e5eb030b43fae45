import { createServer } from "node:http2";
import { Readable } from "node:stream";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { Availability } from "../../src/gen/aisle/v1/product_pb.js";
import { openAisle } from "../fixtures/aisle.js";
import { storeKinds } from "../fixtures/stores.js";
import { runCommand } from "./run-command.js";

const stores = await storeKinds();
const FEED = `id,title,brand,price,availability,sku,colour
tent,Ridge tent,North,199.00 EUR,in_stock,T1,green
pegs,Steel pegs,North,9.00 EUR,in_stock,P1,grey
`;

describe.each(stores)("files with some fields of products: $name", ({ openStore }) => {
  const open = async () => {
    const aisle = await openAisle(openStore);
    const server = createServer(connectNodeAdapter({ routes: (router: ConnectRouter) => void aisle.routes(router) }));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
    const load = async (file: string, ...args: string[]) => {
      const stdin = Readable.from([Buffer.from(file)]);
      return runCommand(["import", "products", "-", "--app", "shop", "--server", url, ...args], { stdin });
    };
    const get = async (productId: string) =>
      (await aisle.rpc.catalog.getProduct({ appId: "shop", product: { case: "productId", value: productId } })).product;
    expect((await load(FEED)).exitCode).toBe(0);
    return { load, get };
  };
  const TENT = { title: "Ridge tent", brand: "North", sku: "T1", attributes: { colour: "green" } };

  it("a file of stock and one of prices change these and keep the rest", async () => {
    const { load, get } = await open();
    expect((await load("id,availability\ntent,out_of_stock\npegs,\n")).exitCode).toBe(0);
    expect((await load("id,price\ntent,179.00 EUR\n")).exitCode).toBe(0);
    const price = { amount: "179.00", currency: "EUR" };
    expect(await get("tent")).toMatchObject({ ...TENT, price, availability: Availability.OUT_OF_STOCK });
    expect(await get("pegs")).toMatchObject({ title: "Steel pegs", availability: Availability.IN_STOCK });
  });

  it("a file of pieces in stock changes the stock, as a column of its own or as the availability", async () => {
    const { load, get } = await open();
    await load("id,stock\ntent,7\n");
    await load("id,availability\npegs,3\n");
    expect(await get("tent")).toMatchObject({ ...TENT, stock: 7, availability: Availability.IN_STOCK });
    expect(await get("pegs")).toMatchObject({ title: "Steel pegs", stock: 3 });
  });

  it("a line of stock makes no product, one with texts does", async () => {
    const { load, get } = await open();
    const { stdout, stderr } = await load("id,availability\ntent,out_of_stock\nlamp,in_stock\n");
    expect(stdout).toContain("1 products stored, 1 lines rejected");
    expect(stderr).toContain("line 3: refused by the server: id: there is no such product");
    await expect(get("lamp")).rejects.toThrow(/not_found/);
    expect((await load("id,title\nlamp,Lamp\n")).stdout).toContain("1 products stored");
    expect(await get("lamp")).toMatchObject({ title: "Lamp", availability: Availability.IN_STOCK });
  });

  it("an empty cell empties a field, and a JSON line changes the fields that it has", async () => {
    const { load, get } = await open();
    await load("id,brand,colour,weight\ntent,,,2 kg\n");
    expect(await get("tent")).toMatchObject({ title: "Ridge tent", brand: "", attributes: { weight: "2 kg" } });
    await load('{"id":"pegs","colour":"black"}\n{"id":"tent","brand":"South"}\n');
    expect(await get("pegs")).toMatchObject({ title: "Steel pegs", brand: "North", attributes: { colour: "black" } });
    expect(await get("tent")).toMatchObject({ brand: "South", attributes: { weight: "2 kg" } });
  });

  it("a price leaves the sale, and an empty sale price ends it", async () => {
    const { load, get } = await open();
    await load("id,sale_price\ntent,149.00 EUR\n");
    expect(await get("tent")).toMatchObject({ price: { amount: "199.00" }, salePrice: { amount: "149.00" } });
    await load("id,price\ntent,189.00 EUR\n");
    expect(await get("tent")).toMatchObject({ price: { amount: "189.00" }, salePrice: { amount: "149.00" } });
    await load("id,sale_price\ntent,\n");
    expect(await get("tent")).toMatchObject({ ...TENT, price: { amount: "189.00" } });
    expect((await get("tent"))?.salePrice).toBeUndefined();
  });

  it("an item of XML with a title is a whole product, one without changes what it has", async () => {
    const { load, get } = await open();
    const xml = (fields: string) =>
      `<rss xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>tent</g:id>${fields}</item></channel></rss>`;
    await load(xml("<g:price>99.00 EUR</g:price>"));
    expect(await get("tent")).toMatchObject({ ...TENT, price: { amount: "99.00" } });
    await load(xml("<g:title>Other tent</g:title>"));
    expect(await get("tent")).toMatchObject({ title: "Other tent", brand: "", sku: "", attributes: {} });
    expect((await get("tent"))?.price).toBeUndefined();
  });

  it("--replace replaces whole products, and warns of fields that products had", async () => {
    const { load, get } = await open();
    const { stderr } = await load("id,title,price\ntent,Ridge tent,1.00 EUR\n", "--replace");
    expect(stderr).toContain("The file has no brand: --replace empties it; 2 of the products read first have one");
    expect(stderr).not.toContain("no title");
    expect(await get("tent")).toMatchObject({ title: "Ridge tent", brand: "", sku: "", attributes: {} });
    expect((await load(FEED, "--replace")).stderr).toBe("");
  });
});
