import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openEmbeddedStore } from "../../src/store/lmdb/store.js";
import { openMongoStore } from "../../src/store/mongo/store.js";
import type { Store } from "../../src/store/ports/store.js";
import { app } from "../contract/samples.js";
import { storeJoinedGuests } from "../fixtures/joined-guests.js";
import { openMongoPeer } from "../fixtures/mongo-peer.js";
import { runAisle, startServer, temporaryDirectory } from "../fixtures/server.js";
import { databaseName, PATIENT } from "../store/mongo/open-mongo.js";

const peer = await openMongoPeer();
afterAll(() => peer.stop());

const embedded = async () => {
  const directory = join(await temporaryDirectory(), "store");
  return { address: `embedded:${directory}`, store: await openEmbeddedStore({ directory, now: Date.now }) };
};
const mongo = async () => {
  const database = databaseName();
  onTestFinished(() => peer.drop(database));
  const address = peer.url(database);
  return { address, store: await openMongoStore({ url: address, now: Date.now, limits: PATIENT }) };
};

describe.each([
  ["an embedded store", embedded],
  [`MongoDB: ${peer.name}`, mongo],
])("guests that an earlier version joined, in %s", (_, open: () => Promise<{ address: string; store: Store }>) => {
  it("are named by the doctor beside a server, parted, and then see and export only what is theirs", async () => {
    const { address, store } = await open();
    await store.apps.create(app("shop"));
    await storeJoinedGuests(store, "shop");
    await store.close();
    let server = await startServer({ store: address });
    const doctor = async (...flags: string[]) => {
      const env = { AISLE_FACADE_PORT: "0", AISLE_RPC_PORT: "0" };
      const { code, stdout } = await runAisle(["doctor", "--store", address, ...flags], { env });
      return { code, stdout, lines: stdout.split("\n").filter((line) => /^\w+ +(visitors|contacts|part) /.test(line)) };
    };
    const statusOf = async (id: string) =>
      (await fetch(`${server.facadeUrl}/subscription_status?app_id=shop&force=1&fpcid=${id}`)).json();
    expect(await statusOf("f-ann")).toMatchObject({ identified: true, status: false }); // Bo's

    const ill = await doctor();
    expect(ill.code).toBe(1);
    expect(ill.lines).toHaveLength(1);
    expect(ill.lines[0]).toMatch(
      /^problem +visitors +app shop: placeholders joined people into visitors \(2\), by the ids ("0", "undefined"|"undefined", "0"); .* 7 ids, 2 contacts, 7 events and 4 orders; run `aisle doctor --part-placeholders`$/,
    );
    expect(ill.stdout).not.toMatch(/@guests|f-ann|c:ann/);

    // Of an embedded store the server is to be stopped first.
    const isStopped = address.startsWith("embedded:");
    if (isStopped) {
      expect((await doctor("--part-placeholders")).stdout).toMatch(
        /^problem +part +.* process \d+ on \S+ .* has the store in /m,
      );
      expect(await server.end("SIGTERM")).toBe(0);
    }
    const parting = await doctor("--part-placeholders");
    expect(parting.lines.map((line) => line.replace(/ +/g, " "))).toEqual([
      "ok part app shop: 2 visitors parted, 2 placeholder keys removed, 0 contacts unlinked; 5 events and 3 orders went to whom they name",
      "note part app shop: no event tells whose 1 ids, 2 events and 1 orders are; they belong to nobody now",
      expect.stringMatching(/^note contacts app shop: .* \(1\)/),
      "ok visitors none is joined by a placeholder such as 0 or guest",
    ]);
    expect(parting.code).toBe(0);
    expect((await doctor()).code).toBe(0);
    expect((await doctor("--part-placeholders")).lines[0]).toMatch(/^ok +part +no visitor is joined by a placeholder$/);

    if (isStopped) server = await startServer({ store: address });
    expect(await statusOf("f-ann")).toMatchObject({ identified: true, status: true });
    expect(await statusOf("f-bo")).toMatchObject({ identified: true, status: false });
    const args = ["privacy", "export", "--app", "shop", "--email", "ann@guests.example"];
    const { code, stdout: text } = await runAisle(args, { env: { AISLE_SERVER: server.rpcUrl } });
    expect(code).toBe(0);
    expect(text).toContain("ann@guests.example");
    expect(text).toContain("o7");
    expect(text).not.toMatch(/(bo|cy|dan|eve)@|"o(2|3|10)"/);
  });
});
