import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import type { FailurePlace } from "../../../src/adapters/report-failure.js";
import { Commits } from "../../../src/store/mongo/commits.js";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import type { Store } from "../../../src/store/ports/store.js";
import { product } from "../../contract/samples.js";
import { NO_PEER, openMongoPeer } from "../../fixtures/mongo-peer.js";
import { databaseName, PATIENT } from "./open-mongo.js";

const peer = await openMongoPeer();
afterAll(() => peer?.stop());
afterEach(() => void vi.restoreAllMocks());

const error = new Error("broken");
const broken = () => {
  throw error;
};

describe.skipIf(peer === undefined)(`failures that no caller waits for: ${peer?.name ?? NO_PEER}`, () => {
  const put = (store: Store) => store.unitOfWork.run("shop", (tx) => tx.products.put("p1", product("p1")));

  it.each<
    [place: FailurePlace, part: "list" | "headsOf" | "head" | "finish" | undefined, use: (store: Store) => unknown]
  >([
    ["store_upkeep", "list", () => undefined],
    ["store_watch", "headsOf", (store) => store.products.watch("shop", () => undefined)],
    ["store_watch", "head", (store) => store.products.watch("shop", () => undefined)],
    ["store_commit", "finish", put],
    [
      "product_listener",
      undefined,
      (store) => {
        store.products.watch("shop", broken);
        return put(store);
      },
    ],
  ])("reports %s with the error when %s fails", async (place, part, use) => {
    const told: [FailurePlace, unknown][] = [];
    if (part !== undefined) vi.spyOn(Commits.prototype, part).mockRejectedValue(error);
    const database = databaseName();
    const store = await openMongoStore({
      url: peer!.url(database),
      now: Date.now,
      limits: PATIENT,
      watchPollMs: 20,
      reportFailure: (where, what) => void told.push([where, what]),
    });
    try {
      await use(store);
      await expect.poll(() => told).toContainEqual([place, error]);
    } finally {
      vi.restoreAllMocks();
      await store.close();
      await peer!.drop(database);
    }
  });
});
