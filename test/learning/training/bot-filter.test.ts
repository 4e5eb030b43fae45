import { describe, expect, it } from "vitest";
import { filterBots } from "../../../src/learning/training/dataset.js";
import type { InteractionStore } from "../../../src/store/ports/interaction-store.js";
import { openAisle } from "../../fixtures/aisle.js";
import { trained } from "../../fixtures/operations.js";

const GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

describe("interactions of crawlers", () => {
  it("are left out of histories, and crawlers out of the visitors", async () => {
    const step = (ref: string, bot?: true) => ({
      type: "product_view" as const,
      at: 1,
      productIds: ["p1"],
      ref,
      ...(bot && { bot }),
    });
    const store: Pick<InteractionStore, "scan"> = {
      async *scan() {
        yield [
          { visitorId: "person", interactions: [step("a")] },
          { visitorId: "robot", interactions: [step("b", true)] },
          { visitorId: "both", interactions: [step("c", true), step("d")] },
        ];
      },
    };
    const found = [];
    for await (const batch of filterBots(store).scan("shop")) found.push(...batch);
    expect(found.map(({ visitorId, interactions }) => [visitorId, interactions.map(({ ref }) => ref)])).toEqual([
      ["person", ["a"]],
      ["both", ["d"]],
    ]);
  });

  it("make no product popular, and stay in the stored history", async () => {
    const aisle = await openAisle();
    await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
    const products = ["p1", "p2", "p3"].map((productId) => ({ productId, title: `Thing ${productId}` }));
    await aisle.rpc.catalog.upsertProducts(
      (async function* () {
        yield { appId: "shop", products };
      })(),
    );
    const view = (visitor: string, product: string, userAgent: string) =>
      aisle.facade.inject({
        method: "POST",
        url: "/trace",
        headers: { "content-type": "application/x-www-form-urlencoded", "user-agent": userAgent },
        payload: `app_id=shop&action_type=product_view&product_ids=${product}&c_id=${visitor}`,
      });
    for (let n = 0; n < 30; n++) await view(`robot-${n}`, "p3", GOOGLEBOT);
    for (let n = 0; n < 3; n++)
      await view(`person-${n}`, "p1", "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Firefox/120.0");
    await trained(aisle.rpc, "shop");

    const ask = (cId: string) => aisle.recommend({ appId: "shop", productInteractions: [], cId });
    const forNobody = await ask("somebody-new");
    expect(forNobody.recommended.concat(forNobody.alternative)[0]?.productId).toBe("p1");
    const forRobot = await ask("robot-1");
    expect(forRobot.recommended.concat(forRobot.alternative).at(-1)?.productId).toBe("p3");
  });
});
