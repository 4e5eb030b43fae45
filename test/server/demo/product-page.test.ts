import { expect, it } from "vitest";
import { areVariants, demoCatalogue } from "../../../src/server/demo/catalogue.js";
import { productPage } from "../../../src/server/demo/pages/product-page.js";

it("each product page of the demo shop links the other variants, and speaks of none where there are none", () => {
  const { articles } = demoCatalogue();
  const counts = new Set<number>();
  for (const article of articles) {
    const others = articles.filter((other) => other !== article && areVariants(article, other));
    counts.add(others.length);
    const line = /<p class="variants">.*?<\/p>/.exec(productPage(article, { appId: "demo", baseUrl: ".." }))?.[0];
    const linked = [...(line ?? "").matchAll(/\/demo\/p\/([^"]+)"/g)].map(([, id]) => id);
    expect(linked, article.id).toEqual(others.map(({ id }) => id));
    expect(line !== undefined, article.id).toBe(others.length > 0);
  }
  expect(counts.size).toBeGreaterThan(1);
});
