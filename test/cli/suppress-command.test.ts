import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Http2Server } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { erased } from "../fixtures/operations.js";
import { runCommand } from "./run-command.js";

let aisle: Awaited<ReturnType<typeof openAisle>>;
let server: Http2Server;
let directory: string;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "aisle-suppress-"));
  aisle = await openAisle();
  await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
  server = createServer(connectNodeAdapter({ routes: (router) => aisle.routes(router) }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

const run = (...args: string[]) => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return runCommand([...args, "--app", "shop", "--server", `http://127.0.0.1:${port}`]);
};

const fileOf = (name: string, text: string) => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};

describe("aisle suppress", () => {
  it("adds addresses of a file, lists their hashes, and removes them", async () => {
    const file = fileOf("addresses.txt", "\uFEFFann@x.example\r\n\r\n+48 601 234 567\nANN@x.example\n");
    const added = await run("suppress", "add", "--file", file);
    expect(added.stdout).toBe("2 addresses are suppressed now, 0 were already\n");
    const listed = await run("suppress", "list");
    expect(listed.stdout).toContain("shop");
    expect(listed.stdout).toContain("2 addresses are suppressed\n");
    expect(listed.stdout).not.toContain("ann");
    const removed = await run("suppress", "remove", "ann@x.example", "bo@x.example");
    expect(removed.stdout).toBe("1 addresses are no longer suppressed, 1 were not\n");
    expect(JSON.parse((await run("suppress", "list", "--json")).stdout)).toMatchObject({ count: 1 });
  });

  it("changes nothing in a dry run", async () => {
    const tried = await run("suppress", "add", "ann@x.example", "--dry-run");
    expect(tried.stdout).toBe("1 addresses would be suppressed now, 0 were already\n");
    expect((await run("suppress", "list")).stdout).toBe("0 addresses are suppressed\n");
  });

  it("names the line of what is no address, and changes nothing", async () => {
    const file = fileOf("addresses.txt", "ann@x.example\n\nnobody\n");
    const { stderr, exitCode } = await run("suppress", "add", "--file", file);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("line 3: an e-mail address or a phone number is accepted; nothing was changed");
    expect((await run("suppress", "list")).stdout).toBe("0 addresses are suppressed\n");
  });

  it("needs addresses or a file, and not both", async () => {
    expect((await run("suppress", "add")).exitCode).toBe(2);
    expect((await run("suppress", "add", "ann@x.example", "--file", "-")).exitCode).toBe(2);
  });
});

describe("aisle import contacts", () => {
  it("counts whom an erasure has suppressed, in the dry run as well", async () => {
    await aisle.trace({ app_id: "shop", action_type: "subscribe", email: "ann@x.example", c_id: "c1" });
    await erased(aisle.rpc, "shop", { email: "ann@x.example" });
    const list = fileOf("list.csv", "email,subscribed\nann@x.example,yes\nbo@x.example,yes\n");
    const tried = await run("import", "contacts", list, "--dry-run");
    expect(tried.stdout).toContain("2 lines read, 1 contacts would be stored, 1 left out as suppressed");
    const { stdout } = await run("import", "contacts", list);
    expect(stdout).toContain("2 lines read, 1 contacts stored, 1 left out as suppressed");
    const json = await run("import", "contacts", list, "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ contacts: 1, suppressed: 1 });
  });
});
