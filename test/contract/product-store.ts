import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Product } from "../../src/domain/product.js";
import type { ProductChange } from "../../src/store/ports/product-store.js";
import type { Store } from "../../src/store/ports/store.js";
import { RUNS } from "../fixtures/runs.js";
import { because, byCodePoints, gather, type OpenStore, type StoreLimits, useStore } from "./open-store.js";
import { anyProduct, product } from "./samples.js";

export function productStoreContract(name: string, open: OpenStore, limits: StoreLimits = {}): void {
  describe(`product store: ${name}`, () => {
    const under = useStore(open);

    const put = (appId: string, ...products: readonly Product[]) =>
      under.store.unitOfWork.run(appId, (tx) => {
        for (const one of products) tx.products.put(one.productId, one);
      });
    const idBySku = async (sku: string) => (await under.store.products.getBySku("shop", sku))?.productId;

    it("returns a product as it was recorded", async () => {
      await fc.assert(
        fc.asyncProperty(anyProduct, async (one) => {
          await put("shop", one);
          expect(await under.store.products.get("shop", one.productId)).toEqual(one);
        }),
        { numRuns: RUNS.some },
      );
    });

    it("finds a product by its current SKU, not by an earlier one", async () => {
      await put("shop", product("p1", { sku: "old" }));
      await put("shop", product("p1", { sku: "new" }));
      expect(await idBySku("new")).toBe("p1");
      expect(await idBySku("old")).toBeUndefined();
      await under.store.unitOfWork.run("shop", (tx) => tx.products.delete("p1"));
      expect(await idBySku("new")).toBeUndefined();
    });

    it("finds the product written last among two with one SKU", async () => {
      await put("shop", product("p1", { sku: "s" }), product("p2", { sku: "s" }));
      expect(await idBySku("s")).toBe("p2");
      await put("shop", product("p1", { sku: "s" }));
      expect(await idBySku("s")).toBe("p1");
      await under.store.unitOfWork.run("shop", (tx) => tx.products.delete("p2"));
      expect(await idBySku("s")).toBe("p1");
    });

    it("finds no product by the empty SKU", async () => {
      await put("shop", product("p1"));
      expect(await idBySku("")).toBeUndefined();
    });

    it("finds nothing by the ids and SKUs of another app", async () => {
      await put("shop-2", product("p1", { sku: "s" }));
      expect(await under.store.products.get("shop", "p1")).toBeUndefined();
      expect(await idBySku("s")).toBeUndefined();
      expect(await under.store.products.list("shop", "", 10)).toEqual([]);
    });

    it("lists and scans products in order of ids", async () => {
      const ids = ["b", "a", "ä", "aa", "\u{10000}", "\uffff", "Z"];
      await put("shop", ...ids.map((id) => product(id)));
      const sorted = ids.sort(byCodePoints);
      const listed = async (after: string, limit: number) =>
        (await under.store.products.list("shop", after, limit)).map((one) => one.productId);
      expect(await listed("", 10)).toEqual(sorted);
      expect(await listed("a", 2)).toEqual(["aa", "b"]);
      expect(await listed("\u{10000}", 2)).toEqual([]);
      const scanned = await gather(under.store.products.scan("shop"));
      expect(scanned.map((one) => one.productId)).toEqual(sorted);
    });

    it("scans more products than fit a batch", async () => {
      const ids = Array.from({ length: 6000 }, (_, i) => String(i).padStart(5, "0"));
      await put("shop", ...ids.map((id) => product(id)));
      const scanned = await gather(under.store.products.scan("shop"));
      expect(scanned.map((one) => one.productId)).toEqual(ids);
    });

    describe("watch", () => {
      it("reports writes before their promise resolves, and no earlier ones", async () => {
        await put("shop", product("before"));
        const seen: ProductChange[] = [];
        under.store.products.watch("shop", (changes) => seen.push(...changes));
        let told = 0;
        const written = put("shop", product("p1")).then(() => {
          told = seen.length;
        });
        await written;
        expect(told).toBe(1);
        expect(seen).toEqual([{ put: product("p1") }]);
      });

      it("reports removals", async () => {
        await put("shop", product("p1"));
        const seen: ProductChange[] = [];
        under.store.products.watch("shop", (changes) => seen.push(...changes));
        await under.store.unitOfWork.run("shop", (tx) => tx.products.delete("p1"));
        expect(seen).toEqual([{ removed: "p1" }]);
      });

      it("reports to each watcher in order of commits, and reads agree with the reports", async () => {
        const titles: string[] = [];
        const read: (string | undefined)[] = [];
        under.store.products.watch("shop", (changes) => {
          for (const one of changes) if ("put" in one) titles.push(one.put.title);
        });
        for (let n = 0; n < 20; n++) {
          await put("shop", product("p1", { title: `title ${n}` }));
          read.push((await under.store.products.get("shop", "p1"))?.title);
        }
        expect(titles).toEqual(Array.from({ length: 20 }, (_, n) => `title ${n}`));
        expect(read).toEqual(titles);
      });

      it("reports last the final value of concurrent writes", async () => {
        const titles: string[] = [];
        under.store.products.watch("shop", (changes) => {
          for (const one of changes) if ("put" in one) titles.push(one.put.title);
        });
        await Promise.all(Array.from({ length: 50 }, (_, n) => put("shop", product("p1", { title: `title ${n}` }))));
        expect(titles.at(-1)).toBe("title 49");
      });

      it("reports no writes of other apps, of failed works, or after it was stopped", async () => {
        const seen: ProductChange[] = [];
        const stop = under.store.products.watch("shop", (changes) => seen.push(...changes));
        await put("shop-2", product("p1"));
        const failing = under.store.unitOfWork.run("shop", (tx) => {
          tx.products.put("p2", product("p2"));
          throw new Error("on purpose");
        });
        await expect(failing).rejects.toThrow("on purpose");
        stop();
        await put("shop", product("p3"));
        expect(seen).toEqual([]);
      });

      it("continues when a watcher throws", async () => {
        const seen: ProductChange[] = [];
        under.store.products.watch("shop", () => {
          throw new Error("on purpose");
        });
        under.store.products.watch("shop", (changes) => seen.push(...changes));
        await put("shop", product("p1"));
        expect(seen).toHaveLength(1);
      });

      describe.skipIf(limits.oneProcess !== undefined)(`of a second store${because(limits.oneProcess)}`, () => {
        it("reports its writes and removals", async () => {
          const second = await under.openSecond();
          await second.unitOfWork.run("shop", (tx) => tx.products.put("p1", product("p1")));
          const mirror = mirrorOf(under.store, "shop");
          await second.unitOfWork.run("shop", (tx) => {
            tx.products.put("p2", product("p2"));
            tx.products.delete("p1");
          });
          await mirror.until((products) => products.get("p2")?.title === "Product p2" && products.get("p1") === null);
        });

        it("reports last what the store has when both write one product in turns", async () => {
          const second = await under.openSecond();
          const mirrors = [under.store, second].map((store) => mirrorOf(store, "shop"));
          for (let n = 0; n < 20; n++) {
            const writer = n % 2 === 0 ? under.store : second;
            await writer.unitOfWork.run("shop", (tx) => tx.products.put("p1", product("p1", { title: `title ${n}` })));
          }
          await Promise.all(mirrors.map((one) => one.until((products) => products.get("p1")?.title === "title 19")));
          await second.unitOfWork.run("shop", (tx) => tx.products.put("last", product("last")));
          await Promise.all(mirrors.map((one) => one.until((products) => products.has("last"))));
          expect(mirrors.map((one) => one.products.get("p1")?.title)).toEqual(["title 19", "title 19"]);
        });
      });
    });
  });
}

/** What a watcher knows of an app's products from what it is told; null for a removed one. */
function mirrorOf(store: Store, appId: string) {
  const products = new Map<string, Product | null>();
  let look = (): void => undefined;
  const reload = async (): Promise<void> => {
    for (const one of await gather(store.products.scan(appId))) products.set(one.productId, one);
    look();
  };
  store.products.watch(appId, (changes) => {
    for (const change of changes) {
      if ("reload" in change) void reload();
      else if ("put" in change) products.set(change.put.productId, change.put);
      else products.set(change.removed, null);
    }
    look();
  });
  /** Resolves as soon as what is known fits. */
  const until = (fits: (known: ReadonlyMap<string, Product | null>) => boolean) =>
    new Promise<void>((resolve) => {
      look = () => {
        if (fits(products)) resolve();
      };
      look();
    });
  return { products, until };
}
