import { readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { verifyInProcess } from "../../src/server/doctor.js";
import { openEmbeddedStore } from "../../src/store/lmdb/store.js";
import { openMongoStore } from "../../src/store/mongo/store.js";
import { INDEXES } from "../../src/store/mongo/tables.js";
import { fillShop } from "../contract/copies.js";
import { event, model } from "../contract/samples.js";
import { makeCertificate } from "../fixtures/certificate.js";
import { openMongoPeer } from "../fixtures/mongo-peer.js";
import { freePort, runAisle, startServer, temporaryDirectory } from "../fixtures/server.js";
import { databaseName, PATIENT } from "../store/mongo/open-mongo.js";

const peer = await openMongoPeer();
afterAll(() => peer.stop());

/** `aisle doctor` on ports that nobody else uses. */
async function doctor(store: string, ...flags: string[]) {
  const env = { AISLE_FACADE_PORT: "0", AISLE_RPC_PORT: "0" };
  const ended = await runAisle(["doctor", "--store", store, ...flags], { env });
  const line = (about: string) => new RegExp(`^(ok|note|problem) +${about} +(.+)$`, "m").exec(ended.stdout);
  return { ...ended, state: (about: string) => line(about)?.[1], text: (about: string) => line(about)?.[2] };
}

async function filled(): Promise<string> {
  const directory = join(await temporaryDirectory(), "store");
  const store = await openEmbeddedStore({ directory, now: Date.now });
  await fillShop(store);
  await store.unitOfWork.run("shop", (tx) => {
    for (let n = 0; n < 500; n++) tx.events.put(`f${n}`, event(`f${n}`, { platform: `needle ${n}` }));
  });
  const bytes = Buffer.from("bytes");
  await store.models.put("shop", model("m1", bytes), [bytes]);
  await store.close();
  return directory;
}

describe("aisle doctor with TLS", () => {
  it("knows its own servers on both ports, and tells until when their certificates are valid", async () => {
    const directory = await temporaryDirectory();
    const files = makeCertificate(directory, "server", ["127.0.0.1"]);
    const env = {
      AISLE_STORE: `embedded:${join(directory, "store")}`,
      AISLE_FACADE_PORT: String(await freePort()),
      AISLE_RPC_PORT: String(await freePort()),
      AISLE_TLS_CERT: files.cert,
      AISLE_TLS_KEY: files.key,
      AISLE_RPC_TLS_CERT: files.cert,
      AISLE_RPC_TLS_KEY: files.key,
    };
    await startServer({ directory, defaults: false, env });
    const { stdout } = await runAisle(["doctor"], { env });
    expect(stdout).toMatch(/--tls-cert: valid until \d{4}-\d\d-\d\d\n/);
    expect(stdout).toMatch(/--rpc-tls-cert: valid until \d{4}-\d\d-\d\d\n/);
    expect(stdout.match(/^note +port +.*an Aisle server has it$/gm)).toHaveLength(2);

    const guarded = { ...env, AISLE_RPC_PORT: String(await freePort()), AISLE_FACADE_PORT: String(await freePort()) };
    const asking = { ...guarded, AISLE_RPC_CLIENT_CA: files.cert, AISLE_STORE: `embedded:${join(directory, "other")}` };
    await startServer({ directory, defaults: false, env: asking });
    expect((await runAisle(["doctor"], { env: asking })).stdout).toMatch(/asks callers for a certificate has it$/m);
  });

  it("reports a key that is not that of the certificate", async () => {
    const directory = await temporaryDirectory();
    const [one, two] = [makeCertificate(directory, "one", ["a.test"]), makeCertificate(directory, "two", ["a.test"])];
    const env = { AISLE_FACADE_PORT: "0", AISLE_RPC_PORT: "0", AISLE_TLS_CERT: one.cert, AISLE_TLS_KEY: two.key };
    const { code, stdout } = await runAisle(["doctor", "--store", `embedded:${join(directory, "store")}`], { env });
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^problem +certificate +--tls-key .*private key/m)]);
  });
});

describe("aisle doctor on an embedded store", () => {
  it("finds nothing wrong with a sound store, and reads all of it with --verify", async () => {
    const directory = await filled();
    const seen = await doctor(`embedded:${directory}`, "--verify");
    expect([seen.code, seen.stderr]).toEqual([0, ""]);
    expect(seen.text("store")).toMatch(/format 11, id [0-9a-f-]{36}$/);
    expect(seen.stdout).toMatch(/^ok +native +lmdb loads$/m);
    expect(seen.text("size")).toMatch(/^records \d+\.\d MB, 1 files of models/);
    expect(seen.stdout).toMatch(/^ok +native +hnswlib-node loads$/m);
    expect(seen.text("disk")).toMatch(/MB free/);
    expect(seen.text("verify")).toMatch(/^\d+ records read, no faults$/);
  });

  it("reports that there is no store yet", async () => {
    const seen = await doctor(`embedded:${join(await temporaryDirectory(), "none")}`);
    expect([seen.code, seen.state("store")]).toEqual([0, "note"]);
  });

  it("finds damaged values, and a file too damaged to read", async () => {
    const directory = await filled();
    const path = join(directory, "data.mdb");
    const sound = await readFile(path);
    const damaged = Buffer.from(sound);
    for (let at = damaged.indexOf("needle 7"); at !== -1; at = damaged.indexOf("needle 7", at + 1))
      damaged[at + 1]! ^= 8;
    await writeFile(path, damaged);
    const values = await doctor(`embedded:${directory}`, "--verify", "--json");
    expect(values.code).toBe(1);
    expect(JSON.parse(values.stdout)).toMatchObject({
      healthy: false,
      verification: { faultCount: 11, failure: "" },
    });
    await writeFile(path, Buffer.concat([sound.subarray(0, 8192), Buffer.alloc(sound.length - 8192, 0x55)]));
    const pages = await doctor(`embedded:${directory}`, "--verify");
    expect(pages.code).toBe(1);
    await rm(path);
  });

  it("reports damage when its reader process is killed by a signal", async () => {
    const entry = new URL("../fixtures/ends-by-signal.mjs", import.meta.url);
    expect((await verifyInProcess(entry, "nowhere")).failure).toBe(
      "reading ended with SIGSEGV: the tree of the file is damaged",
    );
  });

  it("finds a clock that is behind the newest record", async () => {
    const directory = join(await temporaryDirectory(), "store");
    const store = await openEmbeddedStore({ directory, now: Date.now });
    await fillShop(store);
    await store.unitOfWork.run("shop", (tx) => tx.events.put("z", event("z", { receivedAt: Date.now() + 3_600_000 })));
    await store.close();
    const seen = await doctor(`embedded:${directory}`);
    expect([seen.code, seen.state("clock")]).toEqual([1, "problem"]);
  });

  it("distinguishes a port of a running Aisle server from one of another program", async () => {
    const directory = await filled();
    const server = await startServer({ directory });
    const other = createServer((socket) => socket.end("hello"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    const address = other.address();
    const taken = typeof address === "object" && address !== null ? address.port : 0;
    const ports = (facade: string, rpc: string) => ({ AISLE_FACADE_PORT: facade, AISLE_RPC_PORT: rpc });
    const args = ["doctor", "--store", `embedded:${directory}`];
    const ours = await runAisle(args, { env: ports(new URL(server.facadeUrl).port, new URL(server.rpcUrl).port) });
    expect(ours.code).toBe(0);
    expect(ours.stdout.match(/^note +port .*an Aisle server has it$/gm)).toHaveLength(2);
    const theirs = await runAisle(args, { env: ports(String(taken), String(await freePort())) });
    expect(theirs.code).toBe(1);
    expect(theirs.stdout).toMatch(/^problem +port .*another program has it$/m);
    expect(theirs.stdout).toMatch(/^ok +port .*: free$/m);
  });

  it("exits with 2 for an invalid store address", async () => {
    const { code, stderr } = await runAisle(["doctor", "--store", "mongodb://ann:s3cret@[/x"]);
    expect([code, stderr]).toEqual([2, expect.not.stringContaining("s3cret")]);
  });
});

describe(`aisle doctor on MongoDB: ${peer.name}`, () => {
  const open = async () => {
    const database = databaseName();
    onTestFinished(() => peer.drop(database));
    const url = peer.url(database);
    const store = await openMongoStore({ url, now: Date.now, limits: PATIENT });
    await fillShop(store);
    const bytes = Buffer.from("bytes");
    await store.models.put("shop", model("m1", bytes), [bytes]);
    await store.close();
    const client = new MongoClient(url);
    onTestFinished(() => client.close());
    return { url, db: client.db() };
  };

  it("reports server, features and indexes, and leaves nothing behind", async () => {
    const { url, db } = await open();
    const before = (await db.listCollections().toArray()).map(({ name }) => name).sort();
    const seen = await doctor(url, "--verify");
    expect(seen.code).toBe(0);
    expect(seen.text("store")).toMatch(/^MongoDB, database \S+ at \S+, format 10, id [0-9a-f-]{36}$/);
    expect(seen.text("server")).toMatch(/MongoDB \d+\.\d+/);
    expect(seen.text("write concern")).toBe("majority and journal: acknowledged");
    for (const about of ["topology", "clock", "change streams"]) {
      expect(seen.state(about)).toMatch(/^(ok|note)$/);
    }
    for (const { collection, name } of INDEXES)
      expect(seen.stdout).toMatch(new RegExp(`^ok +index +${collection}.${name} `, "m"));
    expect(seen.text("verify")).toMatch(/^\d+ records read, no faults$/);
    expect((await db.listCollections().toArray()).map(({ name }) => name).sort()).toEqual(before);
  });

  it("finds a damaged document, a model without its file, and a missing index", async () => {
    const { url, db } = await open();
    await db
      .collection<{ _id: string }>("records")
      .updateOne({ _id: "shop\0events\0e1" }, { $set: { "v.products": 1 } });
    await db.collection("snapshots.chunks").deleteMany({});
    await db.collection("news").dropIndex("by_time");
    const seen = await doctor(url, "--verify");
    expect(seen.code).toBe(1);
    expect(seen.stdout).toMatch(/^events +value +shop +1$/m);
    expect(seen.stdout).toMatch(/^models +file +shop +1$/m);
    expect(seen.stdout).toMatch(/^note +index +news.by_time .*it is not there/m);
  });

  it("reports that no server answers, without the password", async () => {
    const { code, stdout, stderr } = await doctor("mongodb://ann:s3cret@127.0.0.1:1/aisle");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^problem +store +MongoDB: /m);
    expect(stdout + stderr).not.toContain("s3cret");
  });
});
