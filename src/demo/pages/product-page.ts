import { ARTICLES, decimalPrice, shelfById } from "../catalogue/catalogue.js";
import type { Article } from "../catalogue/notation.js";
import { html, type Markup } from "../html.js";
import { DEMO_APP_NAME } from "../shop.js";
import { breadcrumbs, frame, layout, type PageOptions, priceText } from "./layout.js";

/** The page of one article, with the frames of recommendations that its script fills. */
export function productPage(article: Article, options: PageOptions): string {
  const home = `${options.baseUrl}/demo/`;
  const path = shelfById(article.category)?.path ?? [];
  const facts = [...Object.entries(article.attributes), ["article number", article.sku] as const];
  const stock = article.inStock
    ? html`<p class="stock">In stock, with you in two days</p>`
    : html`<p class="stock out">Out of stock</p>`;
  const main = html`${breadcrumbs(path, home)}
<article class="product" id="product" ${dataOf(article)}>
<img class="picture" src="${home}img/${article.id}.svg" alt="Drawing: ${article.title}" width="400" height="400">
<div class="about">
<p class="maker">${article.brand}</p>
<h1>${article.title}</h1>
<p class="price">${priceText(article)}</p>
<p>${article.description}</p>
${variants(article, home)}
${stock}
<button type="button" id="add"${article.inStock ? html`` : html` disabled`}>Add to cart</button>
<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<ul class="tags" aria-label="Tags">${article.tags.map((tag) => html`<li>${tag}</li>`)}</ul>
</div>
</article>
${frame("alternative", "Similar things")}
${frame("recommended", "Goes well with it")}`;
  return layout(options, {
    kind: "product",
    title: `${article.title} – ${DEMO_APP_NAME}`,
    description: article.description,
    path,
    main,
  });
}

/** What the page's script tells of the article. */
function dataOf({ id, sku, title, brand, cents, inStock }: Article): Markup {
  return html`data-id="${id}" data-sku="${sku}" data-title="${title}" data-brand="${brand}" data-price="${decimalPrice(cents)}" data-available="${String(inStock)}"`;
}

function variants(article: Article, home: string): Markup {
  const others = ARTICLES.filter(({ group, id }) => group !== "" && group === article.group && id !== article.id);
  if (others.length === 0) return html``;
  return html`<p class="variants">Also as ${others.map(({ id, title }) => html`<a href="${home}p/${id}">${title}</a>`)}</p>`;
}
