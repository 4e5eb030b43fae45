import { describe, expect, it } from "vitest";
import { FakeBrowser, URL } from "./fake-page.js";

const context = { version: "2026030110", trackerProduct: null, recommended: [], alternative: [] };
const unknown = { productId: "p9", title: "", imageUrl: "", url: "", price: "", categoryId: "" };

/** What the helper says is wrong after a view and a question about the product p9. */
async function reportsOf(
  answer: { readonly status: number; readonly body?: unknown },
  { isOnline = true, origin = "" } = {},
) {
  const browser = new FakeBrowser();
  if (origin !== "") browser.origin = origin;
  browser.answering = () => answer;
  browser.isOnline = isOnline;
  const helper = browser.open();
  helper.viewProduct({ id: "p9" });
  await helper.recommend({ currentIds: ["p9"] }).catch(() => undefined);
  await browser.pass();
  return new Set(browser.reports);
}

describe("the helper, data-debug:", () => {
  it.each([
    ["an unknown app", 400, "Invalid appId", `There is no app "shop-1" on ${URL}`],
    ["a refused origin", 403, "Origin not allowed", "does not allow pages of https://shop.example"],
    ["a failure of the service", 500, "Internal server error", `${URL} answered 500: Internal server error.`],
  ])("says in one sentence that there is %s", async (_, status, error, text) => {
    expect([...(await reportsOf({ status, body: { error } }))]).toEqual([expect.stringContaining(text)]);
  });

  it("says that the service does not answer", async () => {
    expect([...(await reportsOf({ status: 200 }, { isOnline: false }))]).toEqual([
      expect.stringContaining("does not answer"),
    ]);
  });

  it.each(["null", "file://"])(
    "says of a page opened as a file, %s, that its folder should be served",
    async (origin) => {
      const reports = await reportsOf({ status: 200 }, { isOnline: false, origin });
      expect([...reports]).toEqual([expect.stringContaining("This page was opened as a file")]);
    },
  );

  it("says that the catalogue has no such product", async () => {
    const reports = await reportsOf({ status: 200, body: { ...context, trackerProduct: unknown } });
    expect([...reports]).toEqual([expect.stringContaining('The catalogue has no product "p9"')]);
  });

  it("says nothing when all is well", async () => {
    const trackerProduct = { ...unknown, title: "Nine" };
    expect(await reportsOf({ status: 200, body: { ...context, trackerProduct } })).toEqual(new Set());
  });
});
