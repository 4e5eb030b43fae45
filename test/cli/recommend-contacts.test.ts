import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Http2Server } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { openAisle } from "../fixtures/aisle.js";
import { runCommand } from "./run-command.js";

let server: Http2Server;
let directory: string;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "aisle-contacts-"));
  const { rpc, routes } = await openAisle();
  await rpc.apps.createApp({ app: { appId: "shop" } });
  await rpc.catalog.upsertProducts(
    (async function* () {
      yield { appId: "shop", products: [{ productId: "p1", title: 'Tea, "green"', price: { amount: "3.50" } }] };
    })(),
  );
  for (const [email, emailState] of [
    ["ann@example.com", SubscriptionState.SUBSCRIBED],
    ["bob@example.com", SubscriptionState.UNSUBSCRIBED],
  ] as const)
    await rpc.subscriptions.setSubscription({ appId: "shop", email, emailState });
  server = createServer(connectNodeAdapter({ routes: (router) => routes(router) }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

function run(...args: string[]) {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return runCommand(["recommend", "--app", "shop", ...args, "--server", `http://127.0.0.1:${port}`]);
}

function listOf(text: string): string {
  const path = join(directory, "list.csv");
  writeFileSync(path, text);
  return path;
}

describe("aisle recommend --contacts", () => {
  it("writes a line of CSV for each contact of the file, with products for subscribed ones", async () => {
    const out = join(directory, "out.csv");
    const list = listOf("Email,Name\nann@example.com,Ann\nbob@example.com,Bob\neve@example.com,Eve\n");
    const { exitCode, stderr } = await run("--contacts", list, "--out", out, "--limit", "1");
    expect([exitCode, stderr]).toEqual([0, "1 contacts with recommendations, 2 without\n"]);
    const lines = readFileSync(out, "utf8")
      .replace(/contact:[0-9a-f-]{36}/g, "ID")
      .split("\r\n");
    expect(lines).toEqual([
      "contact,contact_id,result,product_1_id,product_1_title,product_1_url,product_1_image_url,product_1_price,product_1_currency",
      'ann@example.com,ID,ok,p1,"Tea, ""green""",,,3.50,',
      "bob@example.com,ID,not subscribed,,,,,,",
      "eve@example.com,,unknown,,,,,,",
      "",
    ]);
  });

  it("refuses a file without contacts, which would otherwise mean all contacts", async () => {
    const { exitCode, stderr } = await run("--contacts", listOf("email\n"), "--out", join(directory, "out.csv"));
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("has no contacts")]);
  });

  it("needs --out", async () => {
    expect((await run("--contacts", listOf("ann@example.com\n"))).exitCode).toBe(2);
  });
});
