import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import { event } from "../../contract/samples.js";
import { type Fate, openTestReplicaSet } from "../../peers/mongo/replica-set.js";
import { databaseName } from "./open-mongo.js";

const members = await openTestReplicaSet();
afterAll(() => members.close());

it("a bulk call into a server that takes 10 ms for each record adapts its transactions to it and finishes", async () => {
  const store = await openMongoStore({ url: members.url(databaseName()), now: () => 1000, limits: { answerMs: 1000 } });
  onTestFinished(() => store.close());
  const sizes: number[] = [];
  members.onCommand = async ({ name, body }): Promise<Fate> => {
    if (name !== "insert") return "answer";
    sizes.push(body.documents.length);
    await pause(10 * body.documents.length);
    return "answer";
  };
  const works = Array.from({ length: 300 }, (_, n) => `e${n}`);
  const outcomes = await store.unitOfWork.runEach(
    "shop",
    works.map((id) => (tx) => tx.events.put(id, event(id))),
  );
  expect(outcomes.filter(({ status }) => status === "rejected")).toEqual([]);
  expect(await store.events.list("shop", "", 1000, false)).toHaveLength(300);
  expect(Math.max(...sizes.slice(3))).toBeLessThanOrEqual(50);
});
