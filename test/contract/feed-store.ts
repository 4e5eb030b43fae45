import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Feed } from "../../src/domain/feed.js";
import { RUNS } from "../fixtures/runs.js";
import { type OpenStore, useStore } from "./open-store.js";
import { anyFeed, app, feed } from "./samples.js";

export function feedStoreContract(name: string, open: OpenStore): void {
  describe(`feed store: ${name}`, () => {
    const under = useStore(open);

    const put = (appId: string, ...feeds: Feed[]) =>
      under.store.unitOfWork.run(appId, (tx) => {
        for (const one of feeds) tx.feeds.put(one.feedId, one);
      });
    const namesOf = (found: readonly { readonly appId: string; readonly feed: Feed }[]) =>
      found.map((one) => `${one.appId} ${one.feed.feedId}`);

    it("returns a feed as it was written", async () => {
      await fc.assert(
        fc.asyncProperty(anyFeed, async (one) => {
          await put("shop", { ...one, feedId: "f" });
          expect(await under.store.feeds.list("shop")).toEqual([{ ...one, feedId: "f" }]);
        }),
        { numRuns: RUNS.some },
      );
    });

    it("lists an app's feeds in order of their ids, and none of another app", async () => {
      await put("shop", feed("b"), feed("a"));
      await put("shop2", feed("c"));
      expect((await under.store.feeds.list("shop")).map(({ feedId }) => feedId)).toEqual(["a", "b"]);
      expect(await under.store.feeds.list("sho")).toEqual([]);
    });

    it("lists the feeds of all apps, and those after one", async () => {
      await put("two", feed("b"), feed("a"));
      await put("one", feed("z"));
      expect(namesOf(await under.store.feeds.all(undefined, 10))).toEqual(["one z", "two a", "two b"]);
      expect(namesOf(await under.store.feeds.all({ appId: "one", feedId: "z" }, 1))).toEqual(["two a"]);
      expect(namesOf(await under.store.feeds.all({ appId: "two", feedId: "b" }, 10))).toEqual([]);
    });

    it("forgets a deleted feed, and those of a deleted app", async () => {
      await under.store.apps.create(app("shop"));
      await put("shop", feed("a"), feed("b"));
      await under.store.unitOfWork.run("shop", (tx) => tx.feeds.delete("a"));
      expect(namesOf(await under.store.feeds.all(undefined, 10))).toEqual(["shop b"]);
      await under.store.apps.delete("shop");
      expect(await under.store.feeds.all(undefined, 10)).toEqual([]);
    });
  });
}
