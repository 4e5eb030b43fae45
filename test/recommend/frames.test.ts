import { describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";

describe("an unknown frame configuration", () => {
  it("is counted in a metric, and a known one is not", async () => {
    const { rpc, recommend, metrics } = await openAisle();
    await rpc.apps.createApp({ app: { appId: "shop" } });
    await rpc.apps.setFrameConfiguration({ appId: "shop", frameConfiguration: { frameId: "home" } });
    const ask = (frameId: string) =>
      recommend({ appId: "shop", productInteractions: [], marketingMachineFrameConfigurationId: frameId });
    await ask("home");
    await ask("default");
    await ask("");
    expect(metrics.counts.get("recommend_unknown_frames")).toBeUndefined();
    await ask("nothing");
    expect(metrics.counts.get("recommend_unknown_frames")).toBe(1);
  });
});

describe("a frame's filter", () => {
  it("combines with that of the request, and its unknown groups are reported", async () => {
    const { rpc } = await openAisle();
    await rpc.apps.createApp({ app: { appId: "shop" } });
    const feed = async function* () {
      const products = ["1", "2", "3", "4"].map((id) => ({
        productId: id,
        title: id,
        tags: Number(id) % 2 === 0 ? ["even"] : [],
        categories: [{ categoryId: Number(id) > 2 ? "high" : "low" }],
        price: { amount: `${id}0`, currency: "EUR" },
      }));
      yield { appId: "shop", products };
    };
    await rpc.catalog.upsertProducts(feed());
    const set = (filter: object) =>
      rpc.apps.setFrameConfiguration({
        appId: "shop",
        frameConfiguration: { frameId: "f", recommendedCount: 9, filter },
      });
    const ask = async (filter: object) => {
      const answer = await rpc.recommendations.recommend({ appId: "shop", frameId: "f", filter });
      return [answer.recommended.map(({ productId }) => productId).join(" "), answer.missingIds.join(" ")];
    };
    await set({ anyGroupIds: ["even"] });
    expect(await ask({})).toEqual(["2 4", ""]);
    expect(await ask({ anyGroupIds: ["high"] })).toEqual(["4", ""]);
    await set({ price: { max: "30", currency: "EUR" }, excludedProductIds: ["1"], excludedGroupIds: ["nothing"] });
    expect(await ask({})).toEqual(["2 3", "nothing"]);
    expect(await ask({ price: { min: "25" } })).toEqual(["3", "nothing"]);
    await expect(set({ price: { min: "x" } })).rejects.toThrow(/frame_configuration\.filter\.price\.min/);
    await expect(set({ availability: 9 })).rejects.toThrow(/frame_configuration\.filter\.availability/);
  });
});

describe("a variant's filter and pins", () => {
  it("replace those of the frame, for its visitors only", async () => {
    const { rpc } = await openAisle();
    await rpc.apps.createApp({ app: { appId: "shop" } });
    const feed = async function* () {
      const tagged = (productId: string, tag: string) => ({ productId, title: productId, tags: [tag] });
      yield { appId: "shop", products: [tagged("a", "x"), tagged("b", "x"), tagged("c", "y"), tagged("d", "y")] };
    };
    await rpc.catalog.upsertProducts(feed());
    const shown = async (variant: object, visitor?: object) => {
      const frameConfiguration = {
        frameId: "f",
        recommendedCount: 4,
        filter: { anyGroupIds: ["x"] },
        pinnedProductIds: ["b"],
        variants: [{ name: "v", weight: 1, ...variant }],
      };
      await rpc.apps.setFrameConfiguration({ appId: "shop", frameConfiguration });
      const { recommended } = await rpc.recommendations.recommend({ appId: "shop", frameId: "f", ...visitor });
      return recommended.map(({ productId }) => productId).join(" ");
    };
    const visitor = { visitor: { clientId: "c" } };
    expect(await shown({}, visitor)).toBe("b a");
    expect(await shown({ filter: { anyGroupIds: ["y"] }, pinChoice: { productIds: ["d"] } }, visitor)).toBe("d c");
    expect(await shown({ filter: { anyGroupIds: ["y"] }, pinChoice: { productIds: ["d"] } })).toBe("b a");
    expect(await shown({ filter: {}, pinChoice: {} }, visitor)).toBe("a b c d");
  });
});

describe("a frame's diversity", () => {
  async function openShop() {
    const { rpc, recommend, now } = await openAisle();
    await rpc.apps.createApp({ app: { appId: "shop" } });
    const feed = async function* () {
      const products = ["lamp 1", "lamp 2", "lamp 3", "map 1", "tent 1", "tent 2"].map((title) => ({
        productId: title,
        title,
        categories: [{ categoryId: title.slice(0, -2) }],
      }));
      yield { appId: "shop", products };
    };
    await rpc.catalog.upsertProducts(feed());
    const set = (diversity: number, more: object = {}) =>
      rpc.apps.setFrameConfiguration({
        appId: "shop",
        frameConfiguration: { frameId: "home", recommendedCount: 3, diversity, ...more },
      });
    const ask = async (more: Readonly<Record<string, unknown>> = {}) => {
      const body = { appId: "shop", productInteractions: [], marketingMachineFrameConfigurationId: "home", ...more };
      return (await recommend(body)).recommended.map(({ productId }) => productId);
    };
    return { rpc, set, ask, now };
  }

  it("is returned as it was set, 0 by default", async () => {
    const { rpc, set } = await openShop();
    expect((await set(0.35)).frameConfiguration?.diversity).toBe(0.35);
    const { frameConfigurations } = await rpc.apps.listFrameConfigurations({ appId: "shop" });
    expect(frameConfigurations.map(({ diversity }) => diversity)).toEqual([0, 0.35]);
  });

  it.each([-0.1, 1.01, Number.NaN, Number.POSITIVE_INFINITY])("of %d is rejected by its name", async (diversity) => {
    const { set } = await openShop();
    await expect(set(diversity)).rejects.toThrow(/invalid_argument.*frame_configuration\.diversity/);
  });

  it("of 0 keeps the order, and of 1 shows one of each category before a second", async () => {
    const { set, ask } = await openShop();
    await set(0);
    const plain = await ask();
    expect(plain).toEqual(["lamp 1", "lamp 2", "lamp 3"]);
    await set(1);
    expect(await ask()).toEqual(["lamp 1", "map 1", "tent 1"]);
  });

  it("keeps to groups and exclusions, and shows viewed products last", async () => {
    const { set, ask } = await openShop();
    await set(1);
    expect(await ask({ filterByGroups: "lamp,tent" })).toEqual(["lamp 1", "tent 1", "lamp 2"]);
    const view = { productInteractionType: "product_view", productId: "map 1", productSku: "" };
    const viewed = { ...view, utcInteractionDate: "2026-03-01T09:00:00.000Z" };
    expect(await ask({ productInteractions: [viewed], currentProductIds: "lamp 1" })).toEqual([
      "lamp 2",
      "tent 1",
      "lamp 3",
    ]);
  });

  it("comes before rotation", async () => {
    const { set, ask, now } = await openShop();
    await set(1, { rotationRate: 1 });
    expect(await ask({ cId: "c1" })).toEqual(["lamp 1", "map 1", "tent 1"]);
    const use = { trackerProductGroupId: "home", utcInteractionDate: new Date(now() + 1000).toISOString() };
    expect(await ask({ cId: "c1", recommendFrameInteractions: [use] })).toEqual(["lamp 2", "lamp 3", "tent 2"]);
  });

  it("is computed from texts once they were learned from", async () => {
    const { rpc, recommend, trainer } = await openAisle();
    await rpc.apps.createApp({ app: { appId: "shop" } });
    const texts = ["a dome tent", "b ridge tent", "c tunnel tent", "d oil lamp", "e gas lamp", "f desk lamp"];
    const feed = async function* () {
      yield { appId: "shop", products: texts.map((title) => ({ productId: title.slice(0, 1), title })) };
    };
    await rpc.catalog.upsertProducts(feed());
    await trainer.train("shop", () => undefined);
    const frame = { frameId: "home", recommendedCount: 2 };
    const ask = async () => {
      const body = { appId: "shop", productInteractions: [], marketingMachineFrameConfigurationId: "home" };
      return (await recommend(body)).recommended.map(({ productId }) => productId);
    };
    await rpc.apps.setFrameConfiguration({ appId: "shop", frameConfiguration: frame });
    expect(await ask()).toEqual(["a", "b"]);
    await rpc.apps.setFrameConfiguration({ appId: "shop", frameConfiguration: { ...frame, diversity: 0.9 } });
    expect(await ask()).toEqual(["a", "d"]);
  });
});
