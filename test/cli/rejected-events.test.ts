import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Http2Server } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { runCommand } from "./run-command.js";

let aisle: Awaited<ReturnType<typeof openAisle>>;
let server: Http2Server;
let directory: string;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "aisle-rejected-"));
  aisle = await openAisle();
  await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
  server = createServer(connectNodeAdapter({ routes: (router) => aisle.routes(router) }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

const run = (command: string, ...args: string[]) => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return runCommand(["events", command, "--app", "shop", "--server", `http://127.0.0.1:${port}`, ...args]);
};
const file = (name: string, value: unknown) => {
  writeFileSync(join(directory, name), JSON.stringify(value));
  return join(directory, name);
};
const stored = async () => (await aisle.rpc.events.listEvents({ appId: "shop" })).events;

describe("aisle events rejected", () => {
  it("shows rejected events with the reason, without personal data", async () => {
    await aisle.trace({ app_id: "shop", action_type: "product_view", c_id: "c1", email: "ann@example.com" });
    await aisle.trace({ app_id: "shop", c_id: "c2" });
    const { stdout, exitCode } = await run("rejected");
    expect(exitCode).toBe(0);
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(/^0 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}event\.products is missing$/),
      "    product_view  c_id=c1  email=a***@example.com",
      expect.stringMatching(/^1 {2}\S+ \S+ {2}event\.action_type is missing$/),
      "    c_id=c2",
      "",
    ]);
    expect((await run("rejected", "--limit", "1")).stdout).toContain("c_id=c2");
    expect((await run("rejected", "--limit", "1")).stdout).not.toContain("c_id=c1");
  });

  it("reports when there are none", async () => {
    expect(await run("rejected")).toEqual({ exitCode: 0, stdout: "", stderr: "No rejected events\n" });
  });
});

describe("aisle events replay", () => {
  it("records a corrected event from the output of rejected --json", async () => {
    await aisle.trace({ app_id: "shop", action_type: "product_view", c_id: "c1" });
    const { event } = JSON.parse((await run("rejected", "--json")).stdout);
    const fixed = file("fixed.json", { ...event, products: [{ productId: "p1" }] });
    const first = await run("replay", "--id", "0", "--event", fixed);
    expect(first).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^000000000000 is event [0-9a-f-]{36}\n$/),
    });
    const again = await run("replay", "--id", "0", "--event", fixed);
    expect(again.stdout).toContain("recorded before");
    expect(await stored()).toMatchObject([{ actionType: "product_view", visitor: { clientId: "c1" } }]);
    expect((await run("rejected")).stdout).toBe("");
    expect((await run("rejected", "--replayed")).stdout).toContain("replayed as");
  });

  it("tries all events without --id, and exits with 1 when some are rejected again", async () => {
    await aisle.trace({ app_id: "shop", action_type: "other", idempotency_key: "k" });
    await aisle.trace({ app_id: "shop", action_type: "homepage_view", idempotency_key: "k" });
    await aisle.trace({ app_id: "shop", action_type: "order" });
    const ended = await run("replay");
    expect(ended).toMatchObject({ exitCode: 1, stderr: "error: 1 of the events could not be recorded\n" });
    expect(ended.stdout).toContain("000000000001 was rejected: event.order.order_id is missing");
    expect((await stored()).map(({ actionType }) => actionType)).toEqual(["other", "homepage_view"]);
  });

  it("rejects a file without an event, and one event for several ids", async () => {
    const wrong = file("wrong.json", { nothing: true });
    expect(await run("replay", "--id", "0", "--event", wrong)).toMatchObject({ exitCode: 2 });
    expect(await run("replay", "--event", wrong)).toMatchObject({ exitCode: 2 });
    expect(await run("replay", "--id", "0", "--event", join(directory, "absent.json"))).toMatchObject({ exitCode: 2 });
  });
});
