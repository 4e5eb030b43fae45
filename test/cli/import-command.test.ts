import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FeedFailure } from "../../src/catalog/feed/fetch-feed.js";
import { type FakeServer, startFakeServer } from "./fake-server.js";
import { collector, runCommand } from "./run-command.js";

let server: FakeServer;
let folder = "";
beforeEach(async () => {
  server = await startFakeServer();
  folder = await mkdtemp(join(tmpdir(), "aisle-import-"));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

async function write(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const importing = (kind: string, file: string, ...args: string[]) =>
  runCommand(["import", kind, file, "--app", "shop", "--server", server.url, ...args]);

describe("aisle import products", () => {
  it("writes the good lines, shows the bad ones with their numbers and keeps them in a file", async () => {
    const file = await write(
      "p.csv",
      '\uFEFFid;title;price;colour\r\n1;Lamp;"9,50";red\r\n;No id;1;\r\n3;Too many;1;x;y\r\n4;Bulb;x;\r\n5;Cable;;blue\r\n',
    );
    const { exitCode, stdout, stderr } = await importing("products", file, "--currency", "eur");
    expect(exitCode).toBe(0);
    expect(stderr).toBe(
      "line 3: id: missing\nline 4: the line has 5 columns, the header 4\n" +
        "line 5: price: a decimal number is accepted, for example 149.99\n",
    );
    expect(stdout).toBe(
      "5 lines read, 2 products stored, 3 lines rejected, in 0 ms (5,000 lines/s)\n" +
        `Rejected lines are in ${file}.rejected\n`,
    );
    expect(server.state.products.map((product) => [product.productId, product.title, product.price?.amount])).toEqual([
      ["1", "Lamp", "9.50"],
      ["5", "Cable", undefined],
    ]);
    expect(server.state.products[0]?.price?.currency).toBe("EUR");
    expect({ ...server.state.products[1]?.attributes }).toEqual({ colour: "blue" });
    expect(await readFile(`${file}.rejected`, "utf8")).toBe(
      "id;title;price;colour\n;No id;1;\n3;Too many;1;x;y\n4;Bulb;x;\n",
    );
  });

  it("reports a negative price and ids that come twice", async () => {
    const file = await write("p.csv", "id,title,price\n1,Lamp,9\n2,Bulb,-5\n1,Lamp of May,8\n3,Cable,2\n3,Cable,2\n");
    const { stdout, stderr } = await importing("products", file);
    expect(stderr).toBe("line 3: price: an amount below 0 is not accepted\n");
    expect(stdout).toContain("5 lines read, 4 products stored, 1 lines rejected");
    expect(stdout).toContain("2 x an id again that came before, first at 4; the last one counts\n");
  });

  it("imports the rejected file once it is corrected", async () => {
    const file = await write("p.csv", "id,title\n,a\n2,b\n");
    await importing("products", file);
    const mended = (await readFile(`${file}.rejected`, "utf8")).replace(",a", "1,a");
    await writeFile(`${file}.rejected`, mended);
    const { stdout } = await importing("products", `${file}.rejected`);
    expect(stdout).toContain("1 lines read, 1 products stored");
    expect(server.state.products.map((product) => product.productId)).toEqual(["2", "1"]);
  });

  it("reads gzip JSON lines with mapped names, and keeps rejected ones as JSON lines", async () => {
    const lines = ['{"item":1,"name":"Lamp","category":["A","B"]}', '{"name":"none"}', "{broken", "[1]"];
    const file = await write("p.jsonl.gz", gzipSync(`${lines.join("\n")}\n`));
    const { exitCode, stderr } = await importing("products", file, "--map", "id=item", "--map", "title=name");
    expect(exitCode).toBe(0);
    expect(stderr).toBe("line 2: id: missing\nline 3: the line is no JSON\nline 4: the line is no JSON object\n");
    expect(server.state.products.map((product) => [product.productId, product.title])).toEqual([["1", "Lamp"]]);
    expect(await readFile(`${file}.rejected`, "utf8")).toBe(`${lines.slice(1).join("\n")}\n`);
  });

  it("assigns a server's rejection to its line, over many calls", async () => {
    const ids = Array.from({ length: 2500 }, (_, at) => (at % 1000 === 700 ? "x".repeat(256) : `p${at}`));
    const file = await write("p.csv", `id\n${ids.join("\n")}\n`);
    const { exitCode, stdout, stderr } = await importing("products", file);
    expect(exitCode).toBe(0);
    expect(stderr).toBe(
      [702, 1702].map((line) => `line ${line}: refused by the server: product_id: at most 255 bytes\n`).join(""),
    );
    expect(stdout).toContain("2,500 lines read, 2,498 products stored, 2 lines rejected");
    expect(await readFile(`${file}.rejected`, "utf8")).toBe(`id\n${"x".repeat(256)}\n${"x".repeat(256)}\n`);
  });

  it("exits with 1 when no line was good", async () => {
    const file = await write("p.csv", "id,title\n,a\n,b\n");
    const { exitCode, stdout, stderr } = await importing("products", file);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("2 lines read, 0 products stored, 2 lines rejected");
    expect(stderr).toContain(`error: No line of ${file} could be imported`);
  });

  it.each([
    ["id missing", "name,price\nLamp,1\n", "The file has no column id; it has name, price"],
    ["a JSON array", '[{"id":1}]\n', "The file is a JSON array"],
  ])("exits with 2 and sends nothing for a file with %s", async (_, content, text) => {
    const { exitCode, stderr } = await importing("products", await write("p", content));
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`error: ${text}`);
    expect(server.state.products).toEqual([]);
  });

  it("exits with 1 and one line for a missing file", async () => {
    const { exitCode, stderr } = await importing("products", join(folder, "none.csv"));
    expect([exitCode, stderr]).toEqual([1, "error: Cannot read none.csv: there is no such file\n"]);
  });

  it("reports how far it came when the file breaks off", async () => {
    const text = `id\n${Array.from({ length: 50_000 }, (_, at) => `product-${at * 7919}`).join("\n")}\n`;
    const packed = gzipSync(text);
    const file = await write("p.csv.gz", packed.subarray(0, packed.length / 2));
    const { exitCode, stdout, stderr } = await importing("products", file);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("error: The import was interrupted: Cannot read");
    expect(stderr).toContain("the gzip data ends too early");
    expect(server.state.products.length).toBeGreaterThan(0);
    expect(stdout).toContain(`${server.state.products.length.toLocaleString("en")} products stored`);
  });

  it("counts dropped values and bytes that are not UTF-8", async () => {
    const text = Buffer.concat([Buffer.from("id,title,url\n1,Caf"), Buffer.from([0xe9]), Buffer.from(",x\n2,b,x\n")]);
    const { stdout } = await importing("products", await write("p.csv", text));
    expect(stdout).toContain(
      "1 lines hold U+FFFD, a character lost to a wrong encoding\n2 x url left out, no http(s) address\n",
    );
  });

  it("prints totals as JSON", async () => {
    const { stdout } = await importing("products", await write("p.csv", "id\n1\n"), "--json");
    expect(JSON.parse(stdout)).toMatchObject({ lines: 1, products: 1, rejectedLines: 0, complete: true });
  });

  it("shows a bar on a terminal and the bad lines above it", async () => {
    const file = await write("p.csv", "id\n1\n\n2,3\n");
    const { output, text } = collector();
    const stderr = Object.assign(output, { isTTY: true, columns: 80, cursorTo: () => {}, clearLine: () => {} });
    const args = ["import", "products", file, "--app", "shop", "--server", server.url];
    expect((await runCommand(args, { stderr })).exitCode).toBe(0);
    expect(text()).toContain("line 4: the line has 2 columns, the header 1");
    expect(text()).toContain("100 % | 2 lines");
  });
});

describe("aisle import products of a feed", () => {
  const RSS = `<rss xmlns:g="http://base.google.com/ns/1.0"><channel>
    <item><g:id>1</g:id><g:title>Lamp</g:title><g:price>49,90 USD</g:price></item>
    <item><g:title>No id</g:title></item>
    <item><g:id>3</g:id><g:price>on request</g:price></item>
    <item><g:id>4</g:id></item></channel></rss>`;

  it("reads XML, names items, and reports the rejected ones by position, id, field and reason", async () => {
    const report = join(folder, "report.jsonl");
    const { exitCode, stdout, stderr } = await importing("products", await write("f.xml", RSS), "--report", report);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("4 items read, 2 products stored, 2 items rejected");
    expect(stderr).toContain("item 2: id: missing\nitem 3: price: a decimal number");
    expect(
      (await readFile(report, "utf8"))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { position: 2, id: "", field: "id", reason: "missing" },
      { position: 3, id: "3", field: "price", reason: "a decimal number is accepted, for example 149.99" },
    ]);
    expect(server.state.products.map(({ productId, price }) => [productId, price?.amount, price?.currency])).toEqual([
      ["1", "49.90", "USD"],
      ["4", undefined, undefined],
    ]);
  });

  it("counts rejected items by reason when they are too many to show", async () => {
    const file = await write("p.csv", `id,price\n1,1\n${",1\n".repeat(30)}2,x\n`);
    const { stdout } = await importing("products", file);
    expect(stdout).toContain("30 x id: missing\n1 x price: a decimal number");
  });

  it("names with --full all ids that the feed lists, also of rejected items, and says what was hidden", async () => {
    const { exitCode, stdout } = await importing("products", await write("f.xml", RSS), "--full");
    expect(exitCode).toBe(0);
    expect(server.state.feeds).toEqual([{ ids: ["1", "3", "4"], force: false, incomplete: false }]);
    expect(stdout).toContain("7 products hidden that the feed does not list\n");
  });

  it("names with --full every id of a large feed", async () => {
    const ids = Array.from({ length: 12_000 }, (_, n) => `p${n}`);
    expect((await importing("products", await write("p.csv", `id\n${ids.join("\n")}\n`), "--full")).exitCode).toBe(0);
    expect(server.state.feeds[0]?.ids).toEqual(ids);
  }, 120_000);

  it("hides nothing when lines could not be read, unless --force is given", async () => {
    const file = await write("p.csv", "id,title\n1,a\n2,b,c\n3,c\n");
    const { exitCode, stdout, stderr } = await importing("products", file, "--full");
    expect(exitCode).toBe(1);
    expect(stdout).toContain("3 lines read, 2 products stored");
    expect(stderr).toContain("error: Nothing was hidden: 1 lines had no readable id; use --force to hide them anyway");
    expect((await importing("products", file, "--full", "--force")).stdout).toContain("7 products hidden");
  });

  it("says why the server hides nothing, and that the products were stored", async () => {
    const { exitCode, stdout, stderr } = await importing("products", await write("p.csv", "id\n1\n"), "--full");
    expect([exitCode, stdout.includes("1 products stored")]).toEqual([1, true]);
    expect(stderr).toContain("Nothing was hidden: The feed does not list 9 of the 10 products; use --force");
  });

  it("does not end the listing when the file breaks off", async () => {
    const { exitCode, stderr } = await importing("products", await write("f.xml", RSS.slice(0, 250)), "--full");
    expect([exitCode, server.state.feeds]).toEqual([1, []]);
    expect(stderr).toContain("its root element is not closed");
  });

  it("reads a feed from an https address, from a private one only when allowed", async () => {
    const asked: unknown[] = [];
    const feedSource = (options: { allowPrivate: boolean }) => async (url: string) => {
      asked.push([url, options.allowPrivate]);
      const chunks = Readable.from([gzipSync(RSS)]);
      return { version: { etag: "", lastModified: "" }, totalBytes: null, chunks, close: () => {} };
    };
    const args = ["import", "products", "https://shop.example/feed.xml", "--app", "shop", "--server", server.url];
    const report = ["--report", join(folder, "r")];
    const cwd = process.cwd();
    process.chdir(folder);
    try {
      const { stdout } = await runCommand([...args, ...report, "--private-feeds"], { feedSource });
      expect(stdout).toContain("4 items read, 2 products stored");
    } finally {
      process.chdir(cwd);
    }
    expect(asked).toEqual([["https://shop.example/feed.xml", true]]);
  });

  it("says why a feed could not be fetched", async () => {
    const feedSource = () => () => Promise.reject(new FeedFailure("refused", 404));
    const args = ["import", "products", "https://shop.example/feed.xml", "--app", "shop", "--server", server.url];
    const { exitCode, stderr } = await runCommand(args, { feedSource });
    expect([exitCode, stderr]).toEqual([1, "error: The feed was not read: its host refused it (status 404)\n"]);
  });

  it("rejects a file of orders and names the command for it", async () => {
    const { exitCode, stderr } = await importing("products", await write("o.csv", "order_id,product_id\n1,a\n"));
    expect([exitCode, server.state.products]).toEqual([2, []]);
    expect(stderr).toContain('"aisle import events" takes it');
  });
});

describe("aisle import events", () => {
  const ORDERS = `invoice,ts,customer,item,quantity,unit_price,country
1,2010-12-01T08:26:00Z,17850,a,6,2.55,United Kingdom
1,2010-12-01T08:26:00Z,17850,b,6,3.39,United Kingdom
2,2010-12-01T08:28:00Z,,c,6,1.85,United Kingdom
2,2010-12-01T08:28:00Z,,d,-6,1.85,United Kingdom
`;
  const MAPS = ["visitor=customer", "product_id=item", "timestamp=ts", "order_id=invoice", "price=unit_price"];
  const MAPPED = ["--type", "order", "--currency", "GBP", ...MAPS.flatMap((map) => ["--map", map])];

  it("stores orders of mapped columns as one event each", async () => {
    const { exitCode, stdout } = await importing("events", await write("orders.csv", ORDERS), ...MAPPED);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("4 lines read, 2 events stored, 1 lines rejected");
    expect(
      server.state.events.map(({ actionType, visitor, order, products }) => [
        actionType,
        visitor?.clientId,
        order?.orderId,
        products.map((product) => `${product.quantity} ${product.productId} ${product.price?.currency}`).join(),
      ]),
    ).toEqual([
      ["order", "17850", "1", "6 a GBP,6 b GBP"],
      ["order", "order:2", "2", "6 c GBP"],
    ]);
    expect(server.state.keys).toEqual([]);
  });

  it.each([
    [
      "session,item\n1,2\n",
      ["--type", "product_view"],
      "The file has no column visitor or user_id or fp_ccid or email or order_id; it has session, item",
    ],
    ["visitor,product_id\n1,2\n", [], "The file has no column type; it has visitor, product_id"],
  ])("exits with 2 for the columns %j with %j, which can make no event", async (content, args, text) => {
    const { exitCode, stderr } = await importing("events", await write("e.csv", content), ...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`error: ${text}`);
  });

  it("stores nothing twice when repeated with --idempotent, also when the file has grown", async () => {
    const file = await write("orders.csv", ORDERS);
    await importing("events", file, ...MAPPED, "--idempotent");
    expect(server.state.events).toHaveLength(2);
    const again = await importing("events", file, ...MAPPED, "--idempotent");
    expect(again.stdout).toContain("0 events stored, 2 duplicates");
    await writeFile(file, `${ORDERS}3,2010-12-02T08:28:00Z,9,e,1,1,France\n`);
    const grown = await importing("events", file, ...MAPPED, "--idempotent");
    expect(grown.stdout).toContain("1 events stored, 2 duplicates");
  });

  it("uses other keys when the file is read in another way", async () => {
    const file = await write("v.csv", "visitor,product_id,other\nv,a,b\n");
    await importing("events", file, "--idempotent", "--type", "product_view");
    await importing("events", file, "--idempotent", "--type", "product_view", "--map", "product_id=other");
    expect(server.state.events).toHaveLength(2);
  });

  it("reads an orders export of Shopify, where only the first line of an order says whose it is", async () => {
    const file = await write(
      "orders_export.csv",
      `Name,Email,Financial Status,Currency,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku
#1001,Ann@shop.example,paid,EUR,2025-10-07 09:50:26 +0200,2,Tea,4.50,TEA-1
#1001,,,,,1,Pot,20.00,POT-1
#1002,ann@shop.example,paid,EUR,2025-10-08 09:50:26 +0200,1,Gift wrap,5.00,
#1002,,,,,1,Cup,5.00,CUP-1
`,
    );
    const { exitCode, stdout } = await importing("events", file, "--preset", "shopify");
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("4 lines read, 2 events stored, 1 lines rejected")]);
    const [first, second] = server.state.events;
    expect(first?.order?.orderId).toBe("#1001");
    expect(first?.products.map(({ sku, quantity, price }) => [sku, quantity, price?.amount, price?.currency])).toEqual([
      ["TEA-1", 2, "4.50", "EUR"],
      ["POT-1", 1, "20.00", "EUR"],
    ]);
    expect(first?.contact?.email).toBe("Ann@shop.example");
    expect(first?.visitor?.clientId).toMatch(/^email:[\w-]{22}$/);
    expect(second?.visitor?.clientId).toBe(first?.visitor?.clientId);
  });

  it.each([
    [
      "woocommerce",
      "order_id,date,order_currency,customer_id,billing_email,item_product_id,item_sku,item_quantity\n" +
        "12,2025-10-07 09:50:26,EUR,0,a@b.example,77,T-1,2\n",
      { order: "12", user: "", email: "a@b.example", product: "77", type: "order" },
    ],
    [
      "magento",
      "increment_id,created_at,customer_email,customer_id,order_currency_code,product_id,sku,qty_ordered,price_incl_tax\n" +
        "000000012,2025-10-07 09:50:26,a@b.example,5,EUR,77,T-1,2.0000,4.5000\n",
      { order: "000000012", user: "5", email: "a@b.example", product: "77", type: "order" },
    ],
    [
      "prestashop",
      "id_order,date_add,id_customer,email,iso_code,product_id,product_reference,product_quantity,unit_price_tax_incl\n" +
        "12,2025-10-07 09:50:26,5,a@b.example,EUR,77,T-1,2,4.500000\n",
      { order: "12", user: "5", email: "a@b.example", product: "77", type: "order" },
    ],
    [
      "ga4",
      "event_name,event_timestamp,user_pseudo_id,user_id,transaction_id,item_id,quantity,price,currency\n" +
        "view_item,1759823426000000,11.22,5,,77,1,4.5,EUR\n",
      { order: undefined, user: "5", email: undefined, product: "77", type: "product_view" },
    ],
  ])("reads an export of %s", async (preset, text, expected) => {
    await importing("events", await write("e.csv", text), "--preset", preset);
    const [event] = server.state.events;
    expect({
      order: event?.order?.orderId,
      user: event?.visitor?.userId,
      email: event?.contact?.email,
      product: event?.products[0]?.productId,
      type: event?.actionType,
    }).toEqual(expected);
    expect(Number(event?.eventTime?.seconds)).toBeGreaterThan(1_759_000_000);
  });

  describe("with addresses in the column visitor", () => {
    const ADDRESSES = "visitor,type,product_id\na@b.example,view,1\nc@d.example,view,2\n";

    it("stores nothing before somebody says what they are", async () => {
      const { exitCode, stderr } = await importing("events", await write("e.csv", ADDRESSES));
      expect([exitCode, server.state.events.length]).toEqual([2, 0]);
      expect(stderr).toContain("--visitor-is email imports them as email");
    });

    it.each([
      ["email", ["a@b.example", "c@d.example"]],
      ["id", [undefined, undefined]],
    ])("stores them as %s when told", async (meaning, emails) => {
      await importing("events", await write("e.csv", ADDRESSES), "--visitor-is", meaning);
      expect(server.state.events.map(({ contact }) => contact?.email)).toEqual(emails);
    });

    it.each([
      ["\n", "a@b.example"],
      ["n\n", undefined],
    ])("asks on a terminal; the answer %j decides", async (answer, email) => {
      const stdin = Object.assign(Readable.from([answer]), { isTTY: true });
      const stderr = collector();
      const args = ["import", "events", await write("e.csv", ADDRESSES), "--app", "shop", "--server", server.url];
      await runCommand(args, { stdin, stderr: Object.assign(stderr.output, { isTTY: true }) });
      expect(stderr.text()).toContain("The column visitor holds e-mail addresses. Import them as email? [Y/n]");
      expect(server.state.events[0]?.contact?.email).toBe(email);
    });
  });

  it("suggests the next command on a terminal", async () => {
    const stdout = Object.assign(collector().output, { isTTY: true });
    const args = ["import", "events", await write("v.csv", "visitor,type,product_id\nv,view,1\n"), "--app", "shop"];
    const { stderr } = await runCommand([...args, "--server", server.url], { stdout });
    expect(stderr).toBe("Next: aisle train --app shop\n");
  });

  it("writes all lines of an order that the server rejects", async () => {
    const type = "t".repeat(65);
    const file = await write("e.csv", `visitor,type,product_id\nv,${type},a\nv,product_view,b\n`);
    const { stderr } = await importing("events", file);
    expect(stderr).toBe("line 2: refused by the server: action_type: at most 64 characters\n");
    expect(await readFile(`${file}.rejected`, "utf8")).toBe(`visitor,type,product_id\nv,${type},a\n`);
  });

  it("reads stdin and reports the times and types that it found", async () => {
    const stdin = Readable.from([Buffer.from("visitor,type,product_id\nv,wishlist,a\nv,view,b\n")]);
    const args = ["import", "events", "-", "--app", "shop", "--server", server.url];
    const { stdout } = await runCommand(args, { stdin });
    expect(stdout).toContain("1 x lines of a type that training ignores\n");
    expect(stdout).toContain("2 x lines without a timestamp, stored with the time of import\n");
    expect(server.state.events.map((event) => event.actionType)).toEqual(["wishlist", "product_view"]);
  });

  it("reports in one line how far it came when the server goes away", async () => {
    async function* endless() {
      yield "visitor,type,product_id\n";
      for (let at = 0; ; at++) {
        if (server.state.events.length > 5000) await server.close();
        yield `v${at},product_view,p\n`.repeat(1000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const stdin = Readable.from(endless(), { objectMode: false });
    const args = ["import", "events", "-", "--app", "shop", "--server", server.url];
    const { exitCode, stdout, stderr } = await runCommand(args, { stdin });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/ \d,000 events stored/);
    expect(stderr).toMatch(/^error: The import was interrupted: (The|No Aisle) server [^\n]+\n$/);
    server = await startFakeServer();
  });

  it("continues by itself after a restart of the server when sending twice is safe", async () => {
    const { port } = new URL(server.url);
    let restarted = false;
    let waits = 0;
    async function* lines() {
      yield "id\n";
      for (let at = 0; at < 20; at++) {
        if (!restarted && server.state.products.length > 3000) {
          restarted = true;
          await server.close();
        }
        yield Array.from({ length: 1000 }, (_, line) => `${at}-${line}\n`).join("");
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const sleep = async () => {
      if (waits++ === 1) server = await startFakeServer(Number(port));
    };
    const before = server.state.products;
    const stdin = Readable.from(lines(), { objectMode: false });
    const args = ["import", "products", "-", "--app", "shop", "--server", server.url];
    const { exitCode, stdout } = await runCommand(args, { stdin, sleep });
    expect(exitCode).toBe(0);
    expect(stdout).toContain("20,000 lines read, 20,000 products stored");
    expect(waits).toBeGreaterThan(1);
    expect(new Set([...before, ...server.state.products].map((product) => product.productId)).size).toBe(20_000);
  });

  it("stops and reports when interrupted", async () => {
    const stop = new AbortController();
    async function* endless() {
      yield "visitor,type,product_id\n";
      for (let at = 0; ; at++) {
        if (server.state.events.length > 5000) stop.abort();
        yield `v${at},product_view,p\n`.repeat(1000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const stdin = Readable.from(endless(), { objectMode: false });
    const args = ["import", "events", "-", "--app", "shop", "--server", server.url];
    const { exitCode, stdout, stderr } = await runCommand(args, { stdin, signal: stop.signal });
    expect(exitCode).toBe(130);
    expect(stderr).toContain("error: The import was interrupted: interrupted");
    expect(stdout).toMatch(/ \d,\d{3} events stored/);
  });
});
