import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { Applier } from "../../../src/store/mongo/apply-commit.js";
import { Commits } from "../../../src/store/mongo/commits.js";
import { connect } from "../../../src/store/mongo/connection.js";
import { appKey } from "../../../src/store/mongo/keys.js";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import type { Store } from "../../../src/store/ports/store.js";
import { NO_PEER, openMongoPeer } from "../../fixtures/mongo-peer.js";
import { type Command, openReplicaSet } from "../../peers/replica-set.js";
import { databaseName, PATIENT } from "./open-mongo.js";

const peer = await openMongoPeer();
afterAll(() => peer?.stop());

/** The proxy stands before a server with one member; others would lead the driver around it. */
const isPlain = peer?.name === "FerretDB";

describe.skipIf(!isPlain)(`failover of a simulated replica set over ${peer?.name ?? NO_PEER}`, () => {
  const setUp = async () => {
    const database = databaseName();
    const members = await openReplicaSet(peer!.url(database));
    const open = async () => {
      const store = await openMongoStore({ url: members.url(database), now: () => 1000, limits: PATIENT });
      onTestFinished(() => store.close());
      return store;
    };
    onTestFinished(async () => {
      await members.close();
      await peer!.drop(database);
    });
    return { members, database, one: await open(), two: await open(), open };
  };
  const put = (store: Store, key: string, value: string) =>
    store.unitOfWork.run("shop", (tx) => tx.visitorKeys.put(key, value));
  const read = (store: Store, key: string) => store.unitOfWork.run("shop", (tx) => tx.visitorKeys.get(key));
  const copy = (store: Store, from: string, to: string) =>
    store.unitOfWork.run("shop", (tx) => {
      const value = tx.visitorKeys.get(from) ?? "none";
      tx.visitorKeys.put(to, value);
      return value;
    });
  const isCommit = ({ name, collection }: Command) => name === "insert" && collection === "commits";

  it("no server builds on a commit that the failover rolls back", async () => {
    const { members, one, two, open } = await setUp();
    await put(one, "a", "old");
    expect(await read(two, "a")).toBe("old");
    members.hold("commits");
    const lost = put(one, "a", "new").then(
      () => "acknowledged",
      () => "unknown",
    );
    await expect.poll(members.held).toBe(1);
    // The other server has read what it builds on when the primary fails.
    members.onCommand = async (command) => {
      if (!isCommit(command)) return;
      members.onCommand = () => undefined;
      await members.failOver();
    };
    const built = await copy(two, "a", "b");
    expect(await lost).toBe("unknown");
    const third = await open();
    expect([built, await read(third, "a"), await read(third, "b")]).toEqual(["old", "old", "old"]);
  });

  it("a commit that becomes durable late comes before those of other servers", async () => {
    const { members, one, two, open } = await setUp();
    await put(one, "a", "old");
    expect(await read(two, "a")).toBe("old");
    members.hold("commits");
    const late = put(one, "a", "new");
    await expect.poll(members.held).toBe(1);
    const built = copy(two, "a", "b");
    let attempts = 0;
    members.onCommand = (command) => {
      if (isCommit(command) && ++attempts === 2) members.replicate();
    };
    await late;
    expect(await built).toBe("new");
    expect(await read(await open(), "b")).toBe("new");
  });

  it("a commit begun too late is not made, also when majority reads of a new primary lag", async () => {
    const { members, database, one, two, open } = await setUp();
    await put(one, "a", "old");
    expect(await read(two, "a")).toBe("old");
    const fallBehind = await members.lag(database, "heads", appKey("shop"));
    let goOn = () => {};
    const held = new Promise<void>((isHeld) => {
      members.onCommand = async (command) => {
        if (!isCommit(command)) return;
        members.onCommand = () => undefined;
        isHeld();
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
      };
    });
    const late = put(two, "a", "late").then(
      () => "acknowledged",
      () => "refused",
    );
    await held;
    for (let n = 0; n < 40; n++) await put(one, "a", `${n}`);
    fallBehind();
    goOn();
    expect([await late, await read(await open(), "a")]).toEqual(["refused", "39"]);
  });

  it("a head that the failover rolls back is not read", async () => {
    const { members, database } = await setUp();
    const { connection } = await connect(members.url(database), PATIENT.answerMs, () => undefined);
    onTestFinished(() => connection.client.close());
    const commits = new Commits(connection, new Applier(connection, () => 1000));
    await commits.finish("app", 1);
    members.hold("heads");
    const finishing = commits.finish("app", 2);
    await expect.poll(members.held).toBe(1);
    const seen = [await commits.head("app"), (await commits.headsOf(["app"])).get("app")];
    members.replicate();
    await finishing;
    expect([...seen, await commits.head("app")]).toEqual([1, 1, 2]);
  });
});
