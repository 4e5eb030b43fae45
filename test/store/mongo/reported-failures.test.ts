import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { FailurePlace } from "../../../src/adapters/report-failure.js";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import type { Store } from "../../../src/store/ports/store.js";
import { product } from "../../contract/samples.js";
import { type Command, openTestReplicaSet } from "../../peers/mongo/replica-set.js";
import { databaseName, PATIENT } from "./open-mongo.js";

const members = await openTestReplicaSet();
afterAll(() => members.close());
afterEach(() => {
  members.onCommand = () => "answer";
  vi.restoreAllMocks();
});

const put = (store: Store) => store.unitOfWork.run("shop", (tx) => tx.products.put("p1", product("p1")));
const watch = (store: Store) => store.products.watch("shop", () => undefined);

describe("failures that no caller of a MongoDB store waits for", () => {
  it.each<[place: FailurePlace, what: string, fails: (command: Command) => boolean, use: (store: Store) => unknown]>([
    ["store_upkeep", "the sweep of news", ({ name, collection }) => name === "delete" && collection === "news", watch],
    ["store_watch", "reading the products that the news name", isReadOfProducts, watch],
  ])("are reported as %s when %s fails", async (place, _, fails, use) => {
    const told: FailurePlace[] = [];
    const database = databaseName();
    members.onCommand = (command) => (fails(command) ? "lose command" : "answer");
    const reportFailure = (where: FailurePlace) => void told.push(where);
    const open = () => openMongoStore({ url: members.url(database), now: Date.now, limits: PATIENT, reportFailure });
    const [store, other] = [await open(), await open()];
    onTestFinished(async () => {
      members.onCommand = () => "answer";
      await Promise.all([store.close(), other.close()]);
    });
    await use(store);
    await put(other);
    await expect.poll(() => told).toContain(place);
  });

  it("are reported as product_listener when a watcher throws", async () => {
    const told: [FailurePlace, unknown][] = [];
    const store = await openMongoStore({
      url: members.url(databaseName()),
      now: Date.now,
      limits: PATIENT,
      reportFailure: (where, what) => void told.push([where, what]),
    });
    onTestFinished(() => store.close());
    const error = new Error("broken");
    store.products.watch("shop", () => {
      throw error;
    });
    await put(store);
    expect(told).toContainEqual(["product_listener", error]);
  });
});

function isReadOfProducts({ name, body }: Command): boolean {
  return name === "find" && body.startTransaction === undefined && JSON.stringify(body.filter).includes("products");
}
