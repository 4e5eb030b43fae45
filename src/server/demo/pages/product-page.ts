import { type Article, areVariants, DEMO_APP_NAME, decimalPrice, demoCatalogue } from "../catalogue.js";
import { html, type Markup } from "../html.js";
import { breadcrumbs, frame, layout, type PageOptions, priceText } from "./layout.js";

/** The page of one article, with two places for recommendations. */
export function productPage(article: Article, options: PageOptions): string {
  const home = `${options.baseUrl}/demo/`;
  const { product } = article;
  const path = demoCatalogue().shelfById(article.category)?.path ?? [];
  const facts = [...Object.entries(product.attributes), ["article number", product.sku] as const];
  const stock = article.inStock
    ? html`<p class="stock">In stock, with you in two days</p>`
    : html`<p class="stock out">Out of stock</p>`;
  const main = html`${breadcrumbs(path, home)}
<article class="product" id="product" ${dataOf(article)}>
<img class="picture" src="${home}img/${article.id}.svg" alt="Drawing: ${product.title}" width="400" height="400">
<div class="about">
<p class="maker">${product.brand}</p>
<h1>${product.title}</h1>
<p class="price">${priceText(article)}</p>
<p>${product.description}</p>
${variants(article, home)}
${stock}
<button type="button" id="add"${article.inStock ? html`` : html` disabled`}>Add to cart</button>
<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<ul class="tags" aria-label="Tags">${product.tags.map((tag) => html`<li>${tag}</li>`)}</ul>
</div>
</article>
${frame("product", "alternative", "Similar things")}
${frame("product", "recommended", "Goes well with it")}`;
  return layout(options, {
    kind: "product",
    title: `${product.title} – ${DEMO_APP_NAME}`,
    description: product.description,
    path,
    main,
  });
}

/** What the page's script sends about the article. */
function dataOf({ id, product: { sku, title, brand }, cents, inStock }: Article): Markup {
  return html`data-id="${id}" data-sku="${sku}" data-title="${title}" data-brand="${brand}" data-price="${decimalPrice(cents)}" data-available="${String(inStock)}"`;
}

function variants(article: Article, home: string): Markup {
  const others = demoCatalogue().articles.filter((other) => other !== article && areVariants(article, other));
  if (others.length === 0) return html``;
  return html`<p class="variants">Also as ${others.map((other) => html`<a href="${home}p/${other.id}">${other.product.title}</a>`)}</p>`;
}
