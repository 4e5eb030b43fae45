import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Http2Server } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changeIdOf } from "../../src/domain/ledger.js";
import { LinkTrust } from "../../src/gen/aisle/v1/app_pb.js";
import { ChangeSource } from "../../src/gen/aisle/v1/ledger_pb.js";
import { openAisle } from "../fixtures/aisle.js";
import { runCommand } from "./run-command.js";

let aisle: Awaited<ReturnType<typeof openAisle>>;
let server: Http2Server;
let directory: string;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "aisle-ledger-"));
  aisle = await openAisle();
  await aisle.rpc.apps.createApp({ app: { appId: "shop", displayName: "My shop" } });
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
  return runCommand([...args, "--server", `http://127.0.0.1:${port}`]);
};

describe("aisle import contacts", () => {
  it("imports a list as a mail service exports it, and keeps the lines that it cannot use", async () => {
    const path = join(directory, "list.csv");
    writeFileSync(
      path,
      "Email Address,Status,Last_Changed,First_Name,TAGS,fp_ccid\n" +
        "Ann@Example.com,Subscribed,2025-03-01T10:00:00Z,Ann,vip|b2b,f1\n" +
        "bob@example.com,Cleaned,2025-03-02 10:00:00,,,\n" +
        "carl@example.com,pending,,,,\n" +
        "dora@example.com,maybe,,,,\n" +
        "no address,subscribed,,,,\n",
    );
    const { stdout, exitCode, stderr } = await run(
      ...[
        "import",
        "contacts",
        path,
        "--app",
        "shop",
        "--map",
        "email=Email Address",
        "--map",
        "change_time=last_changed",
      ],
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain("5 lines read, 3 contacts stored, 2 lines rejected");
    expect(stderr).toContain("line 5: status: subscribed, unsubscribed, 1, 0, yes, no or nothing is accepted");
    expect(readFileSync(`${path}.rejected`, "utf8")).toContain("no address");
    expect(await aisle.status("shop", "f1")).toMatchObject({ identified: true, status: true });
    const { contact } = await aisle.rpc.subscriptions.getContact({
      appId: "shop",
      contact: { case: "email", value: "ann@example.com" },
    });
    expect(contact).toMatchObject({ email: "Ann@Example.com", firstName: "Ann", tags: ["vip", "b2b"] });
    const { changes } = await aisle.rpc.subscriptions.listChanges({ appId: "shop" });
    expect(changes.map(({ source, changeTime: occurredAt }) => [source, Number(occurredAt?.seconds)])).toEqual([
      [ChangeSource.IMPORT, Date.UTC(2025, 2, 1, 10) / 1000],
      [ChangeSource.IMPORT, Date.UTC(2025, 2, 2, 10) / 1000],
    ]);
  });
});

describe("aisle ledger verify", () => {
  const subscribe = (email: string) => aisle.trace({ app_id: "shop", action_type: "subscribe", email });

  it("prints the head of a sound chain, and accepts it as an anchor later", async () => {
    for (const email of ["a@x.de", "b@x.de"]) await subscribe(email);
    const { stdout, exitCode } = await run("ledger", "verify", "--app", "shop");
    expect(exitCode).toBe(0);
    const [, id = "", hash = ""] = /^Last entry (\S+):([0-9a-f]{64})$/m.exec(stdout) ?? [];
    expect(stdout).toBe(`2 entries, 2 contacts\nLast entry ${changeIdOf(2)}:${hash}\nNo faults found\n`);
    await subscribe("c@x.de");
    expect(await run("ledger", "verify", "--app", "shop", "--anchor", `${id}:${hash}`)).toMatchObject({ exitCode: 0 });
    const wrong = await run("ledger", "verify", "--app", "shop", "--anchor", `${id}:${"0".repeat(64)}`);
    expect(wrong.stdout).toContain(`${changeIdOf(2)}: its hash differs from the anchor`);
    expect(wrong.exitCode).toBe(1);
    expect((await run("ledger", "verify", "--app", "shop", "--anchor", "nonsense")).exitCode).toBe(2);
  });

  it("names the entry that was tampered with, and exits with 1", async () => {
    for (const email of ["a@x.de", "b@x.de"]) await subscribe(email);
    await aisle.store.unitOfWork.run("shop", (tx) => {
      const entry = tx.changes.get(changeIdOf(1));
      if (entry !== undefined) tx.changes.put(entry.changeId, { ...entry, to: false });
    });
    const { stdout, stderr, exitCode } = await run("ledger", "verify", "--app", "shop");
    expect(stdout).toContain(`${changeIdOf(1)}: the entry does not match its hash`);
    expect(stdout).toContain("the e-mail subscription does not follow from its entries");
    expect([stderr, exitCode]).toEqual([expect.stringContaining("The ledger of shop was tampered with"), 1]);
    const { stdout: json } = await run("ledger", "verify", "--app", "shop", "--json");
    expect(JSON.parse(json)).toMatchObject({
      entries: 2,
      faultTotal: 2,
      faults: [{ kind: "LEDGER_FAULT_KIND_CHANGED" }, { kind: "LEDGER_FAULT_KIND_CONTACT" }],
    });
  });

  it("gives RPC callers what they need to check the hashes by the documented rule", async () => {
    await subscribe("a@x.de");
    const { createHash } = await import("node:crypto");
    const sha = (members: unknown[]) => createHash("sha256").update(JSON.stringify(members)).digest("hex");
    const [entry] = (await aisle.rpc.subscriptions.listChanges({ appId: "shop" })).changes;
    if (entry?.seal === undefined) throw new Error("there is an entry with a seal");
    const { seal } = entry;
    expect(seal.previousHash).toBe(sha(["aisle ledger 1", "shop"]));
    expect(seal.commitment).toBe(sha([seal.salt, entry.contactId, entry.statementId, entry.eventId, entry.reason]));
    const at = (time: typeof entry.changeTime) => Number(time?.seconds) * 1000 + Number(time?.nanos) / 1e6;
    const said = [
      entry.changeId,
      "email",
      null,
      true,
      at(entry.changeTime),
      at(entry.recordTime),
      ChangeSource[entry.source].toLowerCase(),
    ];
    expect(seal.hash).toBe(sha([...said, seal.commitment, seal.previousHash]));
  });
});

describe("aisle app set", () => {
  it("changes only the settings that are named", async () => {
    const { exitCode } = await run("app", "set", "shop", "--link-trust", "strict");
    expect(exitCode).toBe(0);
    const { app } = await aisle.rpc.apps.getApp({ appId: "shop" });
    expect(app).toMatchObject({ displayName: "My shop", linkTrust: LinkTrust.STRICT });
    await run("app", "set", "shop");
    expect((await aisle.rpc.apps.getApp({ appId: "shop" })).app?.linkTrust).toBe(LinkTrust.STRICT);
    expect((await run("app", "set", "shop", "--link-trust", "maybe")).exitCode).toBe(2);
    expect((await run("app", "set", "nowhere", "--link-trust", "open")).exitCode).toBe(1);
  });
});
