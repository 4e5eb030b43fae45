import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  rpcClients,
  runAisle,
  type ServerProcess,
  sharedOwner,
  startServer,
  temporaryDirectory,
} from "../fixtures/server.js";

const PRODUCTS = `id,title,category,price,brand,colour
tent,Ridge tent,Camp > Tents,149.00,Larkfell,green
pegs,Steel pegs,Camp > Parts,9.50,Larkfell,
stove,Gas stove,Kitchen,39.90,Ember,red
gas,Gas cartridge,Kitchen,5.90,Ember,
pot,"Cooking pot, two litres",Kitchen,24.00,Ember,black
lamp,Camp lamp,Light,19.00,Ember,
`;

/** Orders of two products, one line each: tents go with pegs, stoves with gas. */
function orderLines(): string {
  const lines = ["customer,item,when,invoice,count,unit"];
  for (let n = 0; n < 60; n++) {
    const at = new Date(Date.UTC(2026, 0, 1 + (n % 28), 9, n)).toISOString();
    const [first, second] = n % 2 === 0 ? ["tent", "pegs"] : ["stove", "gas"];
    const customer = n % 10 === 0 ? "" : `c${n}`;
    for (const item of [first, second]) lines.push(`${customer},${item},${at},i${n},1,9.50`);
  }
  return `${lines.join("\n")}\n`;
}

const ORDER_MAP = ["visitor=customer", "product_id=item", "timestamp=when", "order_id=invoice", "quantity=count"];

const shared = sharedOwner();
let server: ServerProcess;
let folder: string;

beforeAll(async () => {
  folder = await temporaryDirectory(shared.owner);
  server = await startServer({ directory: join(folder, "store"), owner: shared.owner });
});
afterAll(() => shared.release());

/** Runs a command against the server, in the folder with the files. */
const aisle = (args: readonly string[], input = "") =>
  runAisle(args, { input, cwd: folder, env: { AISLE_SERVER: server.rpcUrl } });

async function file(name: string, content: string | Buffer): Promise<string> {
  await writeFile(join(folder, name), content);
  return name;
}

const newApp = (appId: string) => rpcClients(server.rpcUrl).apps.createApp({ app: { appId } });

async function productsOf(appId: string) {
  return (await rpcClients(server.rpcUrl).catalog.listProducts({ appId, pageSize: 1000 })).products;
}

async function eventsOf(appId: string) {
  return (await rpcClients(server.rpcUrl).events.listEvents({ appId, pageSize: 1000 })).events;
}

describe("aisle app", () => {
  it("create makes an app that list shows with its name", async () => {
    expect(await aisle(["app", "create", "made", "--name", "My shop"])).toMatchObject({ code: 0, stderr: "" });
    const { code, stdout } = await aisle(["app", "list"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^made +My shop /m);
  });

  it("create exits with 1 and one line when the id exists", async () => {
    await newApp("taken");
    const { code, stderr } = await aisle(["app", "create", "taken"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: An app with this id already exists.*\n$/);
  });
});

describe("aisle import products", () => {
  it.each([
    ["a plain file", "plain", async () => [await file("products.csv", PRODUCTS), ""] as const],
    ["a gzip file", "gzip", async () => [await file("products.csv.gz", gzipSync(PRODUCTS)), ""] as const],
    ["stdin", "stdin", async () => ["-", PRODUCTS] as const],
  ])("reads %s", async (_, appId, source) => {
    await newApp(appId);
    const [name, input] = await source();
    const { code, stdout } = await aisle(["import", "products", name, "--app", appId, "--currency", "EUR"], input);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^6 lines read, 6 products stored, in .* lines\/s\)$/m);
    const products = await productsOf(appId);
    expect(products.map((product) => product.productId)).toEqual(["gas", "lamp", "pegs", "pot", "stove", "tent"]);
    expect(products.find((product) => product.productId === "tent")).toMatchObject({
      title: "Ridge tent",
      brand: "Larkfell",
      price: { amount: "149.00", currency: "EUR" },
      attributes: { colour: "green" },
    });
    expect(products.find((product) => product.productId === "pot")?.title).toBe("Cooking pot, two litres");
  });

  it("reads JSON lines with mapped columns", async () => {
    await newApp("jsonl");
    const lines = [
      { item: "a", name: "Äpfel", price: 1.5 },
      { item: "b", name: "Birnen" },
    ];
    const name = await file("feed.jsonl", lines.map((line) => JSON.stringify(line)).join("\n"));
    const args = ["import", "products", name, "--app", "jsonl", "--map", "id=item", "--map", "title=name"];
    expect((await aisle(args)).code).toBe(0);
    expect((await productsOf("jsonl")).map(({ productId, title }) => [productId, title])).toEqual([
      ["a", "Äpfel"],
      ["b", "Birnen"],
    ]);
  });

  it("counts bad lines, shows them with their numbers and keeps them in FILE.rejected", async () => {
    await newApp("bad");
    const name = await file("bad.csv", "id,title,price\nok,Fine,1\n,No id,2\nthree,Bad price,many\nlast,Fine,3\n");
    const { code, stdout, stderr } = await aisle(["import", "products", name, "--app", "bad"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^4 lines read, 2 products stored, 2 lines rejected, /m);
    expect(stderr).toMatch(/^line 3: id\b/m);
    expect(stderr).toMatch(/^line 4: price\b/m);
    expect(await readFile(join(folder, "bad.csv.rejected"), "utf8")).toBe(
      "id,title,price\n,No id,2\nthree,Bad price,many\n",
    );
    expect((await productsOf("bad")).map((product) => product.productId)).toEqual(["last", "ok"]);
  });

  it("exits with 1 when no line was good", async () => {
    await newApp("worse");
    const name = await file("worse.csv", "id,title\n,No id\n");
    expect((await aisle(["import", "products", name, "--app", "worse"])).code).toBe(1);
  });
});

describe("aisle import events", () => {
  it("reads JSON lines that each have a type", async () => {
    await newApp("views");
    const lines = [
      { visitor: "v1", type: "product_view", product_id: "tent", timestamp: 1_767_225_600 },
      { visitor: "v1", type: "add_to_cart", product_id: "tent", timestamp: 1_767_225_660_000 },
      { visitor: "", type: "product_view", product_id: "tent", timestamp: "2026-01-01T00:02:00Z" },
      { visitor: "v2", type: "product_view", product_id: "pegs", timestamp: "2026-01-01T00:03:00Z" },
    ];
    const name = await file("views.jsonl", lines.map((line) => JSON.stringify(line)).join("\n"));
    const { code, stdout } = await aisle(["import", "events", name, "--app", "views"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^4 lines read, 3 events stored, 1 lines rejected, /m);
    const seconds = (await eventsOf("views")).map(({ actionType, visitor, eventTime: occurredAt }) => [
      actionType,
      visitor?.clientId,
      Number(occurredAt?.seconds) - 1_767_225_600,
    ]);
    expect(seconds).toEqual([
      ["product_view", "v1", 0],
      ["add_to_cart", "v1", 60],
      ["product_view", "v2", 180],
    ]);
  });

  it("makes one event of the lines of an order, with mapped columns and a given type", async () => {
    await newApp("orders");
    const name = await file("orders.csv.gz", gzipSync(orderLines()));
    const maps = ORDER_MAP.flatMap((map) => ["--map", map]);
    const { code, stdout } = await aisle(["import", "events", name, "--app", "orders", "--type", "order", ...maps]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^120 lines read, 60 events stored, /m);
    const events = await eventsOf("orders");
    const byOrder = new Map(events.map((event) => [event.order?.orderId, event]));
    expect(byOrder.get("i3")).toMatchObject({ actionType: "order", visitor: { clientId: "c3" } });
    expect(byOrder.get("i3")?.products.map((product) => product.productId)).toEqual(["stove", "gas"]);
    expect(byOrder.get("i10")?.visitor?.clientId).toBe("order:i10");
  });

  it("stores nothing twice with --idempotent", async () => {
    await newApp("again");
    const name = await file("again.csv", "visitor,type,product_id\nv1,product_view,a\nv1,product_view,b\n");
    const args = ["import", "events", name, "--app", "again", "--idempotent"];
    expect((await aisle(args)).stdout).toContain("2 events stored,");
    expect((await aisle(args)).stdout).toContain("0 events stored, 2 duplicates");
    expect(await eventsOf("again")).toHaveLength(2);
  });
});

describe("aisle on a shop with products and orders", () => {
  const app = ["--app", "shop"];
  let trained: Awaited<ReturnType<typeof runAisle>>;

  beforeAll(async () => {
    const run = (args: readonly string[], input = "") =>
      runAisle(args, { input, cwd: folder, env: { AISLE_SERVER: server.rpcUrl }, owner: shared.owner });
    await newApp("shop");
    await run(["import", "products", "-", ...app, "--currency", "EUR"], PRODUCTS);
    const maps = ORDER_MAP.flatMap((map) => ["--map", map]);
    await run(["import", "events", "-", ...app, "--type", "order", ...maps], orderLines());
    trained = await run(["train", ...app]);
  });

  it("train shows the serving model, what it learned from and its algorithms", () => {
    expect(trained.code).toBe(0);
    expect(trained.stdout).toMatch(/^Model \S+ serves as version \d{10,}$/m);
    expect(trained.stdout).toMatch(/^ {2}learned from .*60 orders.*6 products/m);
    expect(trained.stdout).toMatch(/^ {2}association_rules: included$/m);
    expect(trained.stderr).toMatch(/^\d+ % \w+$/m);
  });

  it("recommend shows a table with titles and prices", async () => {
    const { code, stdout } = await aisle(["recommend", ...app, "--current", "tent", "--viewed", "lamp"]);
    expect(code).toBe(0);
    expect(stdout).toContain("For tent Ridge tent\n");
    expect(stdout).toMatch(/^Recommended \(complementary\):\n *rank +id +title +price +category\n/m);
    expect(stdout).toMatch(/^ *1 +pegs +Steel pegs +9\.50 EUR +Parts$/m);
    expect(stdout).not.toMatch(/^ *\d+ +tent /m);
  });

  it("recommend shows ids that the catalogue does not know", async () => {
    const { code, stdout } = await aisle(["recommend", ...app, "--current", "nothing"]);
    expect(code).toBe(0);
    expect(stdout).toContain("Unknown and ignored: nothing\n");
  });

  it("frame set changes how many products a frame shows", async () => {
    const sizes = ["--recommended", "1", "--alternative", "0"];
    expect(await aisle(["frame", "set", ...app, "--id", "home", ...sizes])).toMatchObject({ code: 0, stderr: "" });
    const { stdout } = await aisle(["recommend", ...app, "--current", "tent", "--frame", "home", "--json"]);
    const answer: unknown = JSON.parse(stdout);
    expect(answer).toMatchObject({ frameId: "home", recommended: [{ productId: "pegs" }] });
    expect(answer).not.toHaveProperty("alternative");
  });

  it("status tells whether a visitor is known and subscribed", async () => {
    const form = { app_id: "shop", action_type: "subscribe", email: "ann@example.com", fp_ccid: "f1" };
    await fetch(`${server.facadeUrl}/trace`, { method: "POST", body: new URLSearchParams(form) });
    const known = await aisle(["status", ...app, "--fpcid", "f1"]);
    expect([known.code, known.stdout]).toEqual([0, expect.stringMatching(/^yes +subscribed/m)]);
    const unknown = await aisle(["status", ...app, "--fpcid", "f2"]);
    expect([unknown.code, unknown.stdout]).toEqual([0, expect.stringMatching(/^no +unknown/m)]);
  });

  it("events tail shows the newest events as they were understood, and why a value had no effect", async () => {
    const form = { app_id: "shop", action_type: "Product_View", product_ids: "tent", email: "ann at home", c_id: "c9" };
    await fetch(`${server.facadeUrl}/trace`, { method: "POST", body: new URLSearchParams(form) });
    const { code, stdout } = await aisle(["events", "tail", ...app, "--limit", "1"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/ product_view {2}c_id=c9 {2}products=\[tent\]/);
    expect(stdout).toMatch(/^ {4}no effect: the e-mail is no address/m);
    expect(stdout).not.toContain("ann at home");
  });
});
