import { describe, expect, it } from "vitest";
import { FakeBrowser } from "./fake-page.js";

const card = (productId: string) => ({ productId, title: "", imageUrl: "", url: "", price: "", categoryId: "" });
const LISTS = { recommended: [card("p1"), card("p2")], alternative: [] };

function framesIn(body: unknown): readonly unknown[] {
  return typeof body === "object" && body !== null && "frames" in body && Array.isArray(body.frames) ? body.frames : [];
}

/** A browser whose service gives each frame an id of its own. */
function openBrowser() {
  const browser = new FakeBrowser();
  browser.answering = ({ url, body }) => {
    const context = { version: "2026030110", trackerProduct: null };
    if (url.endsWith("/recommend")) return { status: 200, body: { ...context, recommendationId: "r-one", ...LISTS } };
    if (!url.endsWith("/recommend_page")) return { status: 200, body: {} };
    const filled = framesIn(body).map((frameId) => ({ frameId, recommendationId: `r-${frameId}`, ...LISTS }));
    return { status: 200, body: { ...context, frames: filled } };
  };
  const asked = () => browser.asked.filter(({ url }) => url.includes("/recommend"));
  return { browser, asked };
}

describe("the helper, several frames of a page:", () => {
  it("asks for frames that are asked for together in one call", async () => {
    const { browser, asked } = openBrowser();
    const helper = browser.open();
    const options = { currentIds: ["lamp-7"] };
    const [side, again, usual] = await Promise.all([
      helper.recommend({ ...options, frame: "side" }),
      helper.recommend({ ...options, frame: "side" }),
      helper.recommend(options),
    ]);
    expect(asked()).toMatchObject([
      {
        url: expect.stringMatching(/\/recommend_page$/),
        body: { currentProductIds: "lamp-7", frames: ["side", "default"] },
      },
    ]);
    expect(side.recommendationId).toBe("r-side");
    expect(again).toEqual(side);
    expect(usual.recommendationId).toBe("r-default");
    await Promise.all([helper.recommend({ ...options, frame: "side" }), helper.recommend(options)]);
    expect(asked()).toHaveLength(1);
  });

  it("makes the documented call for one frame, and for another question", async () => {
    const { browser, asked } = openBrowser();
    const helper = browser.open();
    await Promise.all([helper.recommend({ frame: "side" }), helper.recommend({ frame: "top", currentIds: ["a"] })]);
    expect(asked().map(({ url, body }) => [new URL(url).pathname, body])).toMatchObject([
      ["/recommend", { marketingMachineFrameConfigurationId: "side" }],
      ["/recommend", { marketingMachineFrameConfigurationId: "top" }],
    ]);
  });

  it("puts at most 20 frames into a call", async () => {
    const { browser, asked } = openBrowser();
    const helper = browser.open();
    const names = Array.from({ length: 21 }, (_, i) => `f${i}`);
    const answers = await Promise.all(names.map((frame) => helper.recommend({ frame })));
    expect(asked().map(({ url }) => new URL(url).pathname)).toEqual(["/recommend_page", "/recommend"]);
    expect(answers[19]?.recommendationId).toBe("r-f19");
  });

  it("rejects all of them when the call fails", async () => {
    const { browser } = openBrowser();
    browser.answering = () => ({ status: 400, body: { error: "Invalid appId" } });
    const helper = browser.open();
    const both = await Promise.allSettled([helper.recommend({ frame: "a" }), helper.recommend({ frame: "b" })]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
});

describe("the helper, results:", () => {
  const clicked = async () => {
    const { browser } = openBrowser();
    const helper = browser.open();
    const answer = await helper.recommend({ frame: "side" });
    helper.useFrame("side", "p1", answer);
    const last = async () => {
      await browser.pass();
      return browser.forms.at(-1);
    };
    return { browser, helper: browser.open(), last };
  };

  it("asks for the id of the answer, and sends it with the view that follows a click and with the order", async () => {
    const { browser, helper, last } = await clicked();
    expect(browser.asked[0]?.body).toMatchObject({ trackClicks: true });
    helper.viewProduct({ id: "p1" });
    expect(await last()).toMatchObject({ action_type: "product_view", recommendation_id: "r-one" });
    await browser.pass(3600_000);
    helper.viewProduct({ id: "p2" });
    expect(await last()).not.toHaveProperty("recommendation_id");
    helper.order({ orderId: "o1", products: [{ id: "x" }, { sku: "p1" }] });
    expect(await last()).toMatchObject({ action_type: "order", recommendation_id: "r-one" });
  });

  it("sends it with the page that a click opens, although that names the product otherwise", async () => {
    const { helper, last } = await clicked();
    helper.viewProduct({ id: "group-of-p1" });
    expect(await last()).toMatchObject({ recommendation_id: "r-one" });
  });

  it("forgets a click after 7 days, and when the visitor withdraws consent", async () => {
    const { browser, helper, last } = await clicked();
    await browser.pass(7 * 24 * 3600_000);
    helper.viewProduct({ id: "p1" });
    expect(await last()).not.toHaveProperty("recommendation_id");
    const answer = await helper.recommend({ frame: "side" });
    helper.useFrame("side", "p1", answer);
    helper.consent(false);
    helper.consent(true);
    helper.viewProduct({ id: "p1" });
    expect(await last()).not.toHaveProperty("recommendation_id");
  });
});
