import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import type { Store } from "../../../src/store/ports/store.js";
import { type Command, type Fate, openTestReplicaSet } from "../../peers/mongo/replica-set.js";
import { databaseName, PATIENT } from "./open-mongo.js";

const members = await openTestReplicaSet();
afterAll(() => members.close());

async function openStore(database: string): Promise<Store> {
  const store = await openMongoStore({ url: members.url(database), now: () => 1000, limits: PATIENT, watchPollMs: 50 });
  onTestFinished(() => store.close());
  return store;
}

/** Two servers, and what the replica set does with the next command of a kind. */
async function setUp() {
  const database = databaseName();
  onTestFinished(() => {
    members.onCommand = () => "answer";
    members.lag(0);
  });
  const once = (name: string, act: (command: Command) => Fate | Promise<Fate>) => {
    let left = 1;
    members.onCommand = (command) => (command.name === name && left-- > 0 ? act(command) : "answer");
  };
  return { one: await openStore(database), two: await openStore(database), database, once };
}

const add = (store: Store, event = "") =>
  store.unitOfWork.run("shop", (tx) => {
    const count = Number(tx.visitorKeys.get("count") ?? 0) + 1;
    tx.visitorKeys.put("count", String(count));
    tx.visitorKeys.put(`seen ${count}`, event);
    return count;
  });
const count = (store: Store) => store.unitOfWork.run("shop", (tx) => tx.visitorKeys.get("count"));

describe("a work over a replica set of three", () => {
  it.each<[fault: string, command: string, fate: Fate]>([
    ["the answer to its commit is lost", "commitTransaction", "lose answer"],
    ["its commit is lost", "commitTransaction", "lose command"],
    ["the answer to its update is lost", "update", "lose answer"],
    ["its update is lost", "update", "lose command"],
    ["its query is lost", "find", "lose command"],
  ])("takes effect once when %s", async (_, command, fate) => {
    const { one, two, once } = await setUp();
    await add(one);
    once(command, () => fate);
    expect(await add(one)).toBe(2);
    expect(await count(two)).toBe("2");
  });

  it.each(["commitTransaction", "update", "find"])(
    "takes effect once when the primary steps down at its %s",
    async (command) => {
      const { one, two, once } = await setUp();
      await add(one);
      once(command, () => {
        members.failOver();
        return "lose command";
      });
      expect(await add(one)).toBe(2);
      expect(await count(two)).toBe("2");
    },
  );

  it("takes effect once when the primary steps down after its commit, before the answer", async () => {
    const { one, two, once } = await setUp();
    await add(one);
    once("commitTransaction", () => {
      setImmediate(() => members.failOver());
      return "lose answer";
    });
    expect(await add(one)).toBe(2);
    expect(await count(two)).toBe("2");
  });

  it("is not acknowledged while only the primary has it, and is made again when a failover rolls it back", async () => {
    const { one, two } = await setUp();
    await add(one);
    members.lag(undefined);
    let isAcknowledged = false;
    const work = add(one).then((made) => {
      isAcknowledged = true;
      return made;
    });
    const ran = members.count();
    await expect.poll(() => members.count()).toBeGreaterThan(ran + 2);
    expect(isAcknowledged).toBe(false);
    members.failOver();
    members.lag(0);
    expect(await work).toBe(2);
    expect(await count(two)).toBe("2");
  });

  it("of two servers that write one record at the same time, runs again on top of the other", async () => {
    const { one, two } = await setUp();
    const made = await Promise.all(Array.from({ length: 40 }, (_, n) => add(n % 2 === 0 ? one : two)));
    expect(made.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
  });
});
