import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeWithChromium, waitUntil } from "../../fixtures/browser.js";
import { storefront } from "./storefront.js";

const guide = readFileSync(join(import.meta.dirname, "../../../docs/integrate.md"), "utf8");
const [product = "", thanks = "", newsletter = "", ...more] = [...guide.matchAll(/^```html\n([\s\S]*?)^```$/gm)].map(
  ([, html = ""]) => html,
);

/** Opens a page of the guide in a shop whose app and service have other names. */
async function opened(html: string) {
  const shop = await storefront(undefined, (service) =>
    html.replaceAll("https://recs.shop.example", service).replaceAll("myshop", "shop"),
  );
  await waitUntil(shop.page, "window.Aisle");
  const actions = async () =>
    (await shop.events.listEvents({ appId: "shop" })).events.map(({ actionType }) => actionType).sort();
  return { ...shop, actions };
}

const PATIENCE = { timeout: 15_000, interval: 100 };

describeWithChromium("the pages that docs/integrate.md shows", () => {
  it("the integration guide has three example pages", () => {
    expect(more).toEqual([]);
    for (const html of [product, thanks, newsletter]) expect(html).toContain('data-app="myshop"');
  });

  it("the guide's product page sends a product view and a cart addition", async () => {
    const { page, actions } = await opened(product);
    await expect.poll(actions, PATIENCE).toEqual(["product_view"]);
    await page.click("#buy");
    await expect.poll(actions, PATIENCE).toEqual(["add_to_cart", "product_view"]);
  });

  it("the guide's order page sends an order", async () => {
    const { actions } = await opened(thanks);
    await expect.poll(actions, PATIENCE).toEqual(["order"]);
  });

  it("the guide's form is shown until the visitor has subscribed", async () => {
    const { page, actions } = await opened(newsletter);
    await page.waitForSelector("#newsletter:not([hidden])");
    await page.fill("[name=email]", "ada@shop.test");
    await page.click("#newsletter button");
    await expect.poll(actions, PATIENCE).toEqual(["subscribe"]);
    await page.reload();
    await waitUntil(page, "window.Aisle");
    await expect.poll(() => page.evaluate("Aisle.shop.subscription()"), PATIENCE).toMatchObject({ showForm: false });
    expect(await page.isVisible("#newsletter")).toBe(false);
  });
});
