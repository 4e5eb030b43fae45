/** What snapshot isolation alone would let pass: works that read what another one changes, and write something else. */
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { bareApp } from "../../../src/domain/app.js";
import { Conflict } from "../../../src/domain/errors.js";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import type { Store } from "../../../src/store/ports/store.js";
import { event, model, visitor } from "../../contract/samples.js";
import { type Command, type Fate, openTestReplicaSet } from "../../peers/mongo/replica-set.js";
import { databaseName, PATIENT } from "./open-mongo.js";

const members = await openTestReplicaSet();
afterAll(() => members.close());

/** Two servers; `meanwhile` runs what one does between another's reads and its writes. */
async function setUp() {
  const database = databaseName();
  const open = async (): Promise<Store> => {
    const store = await openMongoStore({ url: members.url(database), now: () => 1000, limits: PATIENT });
    onTestFinished(() => store.close());
    return store;
  };
  const [one, two] = [await open(), await open()];
  const meanwhile = (isWrite: (command: Command) => boolean, act: () => Promise<unknown>) => {
    let left = 1;
    members.onCommand = async (command): Promise<Fate> => {
      if (left > 0 && isWrite(command)) {
        left--;
        await act();
      }
      return "answer";
    };
    onTestFinished(() => {
      members.onCommand = () => "answer";
    });
  };
  return { one, two, meanwhile };
}

const writes =
  (text: string) =>
  ({ name, collection, body }: Command) =>
    (name === "insert" || name === "update") &&
    collection === "records" &&
    JSON.stringify(body.documents ?? body.updates).includes(text);

describe("a work that reads a record which another server changes meanwhile", () => {
  it("sees an app that is deleted before it records an event of it", async () => {
    const { one, two, meanwhile } = await setUp();
    await one.apps.create(bareApp("shop", 1));
    meanwhile(writes("\\u0000events\\u0000"), () => two.apps.delete("shop"));
    const recorded = await one.unitOfWork.run("shop", (tx) => {
      if (tx.app() === undefined) return false;
      tx.events.put("e1", event("e1"));
      return true;
    });
    expect(recorded).toBe(false);
    expect(await one.events.list("shop", "", 10, false)).toEqual([]);
  });

  it("sees a visitor that is erased before it adds to the visitor's history", async () => {
    const { one, two, meanwhile } = await setUp();
    await one.unitOfWork.run("shop", (tx) => {
      tx.visitors.put("v", visitor("v", { keys: ["c:1"] }));
      tx.visitorKeys.put("c:1", "v");
    });
    meanwhile(writes("\\u0000interactions\\u0000"), () =>
      two.unitOfWork.run("shop", (tx) => {
        tx.visitorKeys.delete("c:1");
        tx.visitors.delete("v");
      }),
    );
    const owner = await one.unitOfWork.run("shop", (tx) => {
      const id = tx.visitorKeys.get("c:1") ?? "new";
      tx.putInteraction(id, { type: "product_view", at: 5, productIds: ["p"], ref: "e1" });
      return id;
    });
    expect(owner).toBe("new");
    expect(await one.interactions.recent("shop", ["v"], 10)).toEqual([]);
  });

  it("stores no model under a lease that another server has taken", async () => {
    const { one, two, meanwhile } = await setUp();
    await one.apps.create(bareApp("shop", 1));
    const lease = await one.leases.acquire("shop", "one", 1000);
    if (lease === undefined) throw new Error("The lease was not given");
    const bytes = new Uint8Array([1]);
    meanwhile(writes("\\u0000models\\u0000"), async () => {
      await two.leases.release("shop", lease);
      await two.leases.acquire("shop", "two", 1000);
    });
    await expect(one.models.put("shop", model("m1", bytes), [bytes], 1, lease)).rejects.toThrow(Conflict);
    expect(await two.models.list("shop")).toEqual([]);
  });
});
