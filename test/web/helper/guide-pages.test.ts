import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeWithChromium, waitUntil } from "../../fixtures/browser.js";
import { storefront } from "./storefront.js";

const sample = readFileSync(join(import.meta.dirname, "../../../docs/samples/page.html"), "utf8");
const guide = readFileSync(join(import.meta.dirname, "../../../docs/integrate.md"), "utf8");
const [product = "", thanks = "", newsletter = "", ...more] = [...guide.matchAll(/^```html\n([\s\S]*?)^```$/gm)].map(
  ([, html = ""]) => html,
);

/** Opens a page of the guide in a shop whose app and service have other names. */
async function opened(html: string) {
  const shop = await storefront(undefined, (service) =>
    html.replaceAll(/https:\/\/recs\.shop\.example|http:\/\/127\.0\.0\.1:8080/g, service).replaceAll("myshop", "shop"),
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

  it("the sample page shows both lists, styled, and a place without a sign for a picture that does not load", async () => {
    const { page, catalog } = await opened(sample);
    const feed = async function* () {
      const products = ["teapot-glass", "teapot-cast", "strainer"].map((productId) => ({
        ...{ productId, title: productId, imageUrl: "https://shop.invalid/picture.jpg" },
        categories: [{ categoryId: "tea", name: "Tea" }],
      }));
      yield { appId: "shop", products };
    };
    await catalog.upsertProducts(feed());
    await page.evaluate("localStorage.clear(); sessionStorage.clear()");
    await page.reload();
    await waitUntil(page, "document.querySelectorAll('.aisle-product').length > 0");
    expect(await page.evaluate("getComputedStyle(document.querySelector('.aisle-products')).display")).toBe("grid");
    await waitUntil(page, "document.querySelector('.aisle-image')?.style.visibility === 'hidden'");
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
