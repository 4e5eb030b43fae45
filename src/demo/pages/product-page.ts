import { ARTICLES, DEPARTMENTS } from "../catalogue/catalogue.js";
import type { Article } from "../catalogue/notation.js";
import { html, type Markup } from "../html.js";
import { DEMO_APP_NAME } from "../shop.js";
import { layout, type PageOptions, priceText, recommendationRow } from "./layout.js";

/** The page of one article, with the rows of recommendations that its script fills. */
export function productPage(article: Article, options: PageOptions): string {
  const home = `${options.baseUrl}/demo/`;
  const facts = [...Object.entries(article.attributes), ["article number", article.sku] as const];
  const stock = article.inStock
    ? html`<p class="stock">In stock, with you in two days</p>`
    : html`<p class="stock out">Out of stock</p>`;
  const button = html`<button type="button" id="add" data-title="${article.title}" data-price="${(article.cents / 100).toFixed(2)}"${article.inStock ? html`` : html` disabled`}>Add to cart</button>`;
  const main = html`${breadcrumbs(article, home)}
<article class="product">
<img class="picture" src="${home}img/${article.id}.svg" alt="Drawing: ${article.title}" width="400" height="400">
<div class="about">
<p class="maker">${article.brand}</p>
<h1>${article.title}</h1>
<p class="price">${priceText(article)}</p>
<p>${article.description}</p>
${variants(article, home)}
${stock}
${button}
<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<ul class="tags" aria-label="Tags">${article.tags.map((tag) => html`<li>${tag}</li>`)}</ul>
</div>
</article>
<p class="waiting" id="waiting">Looking for what goes with it …</p>
${recommendationRow("recommended", "You may also like", "What others took along with it.")}
${recommendationRow("alternative", "Similar things", "Other answers to the same wish.")}`;
  return layout(options, {
    title: `${article.title} – ${DEMO_APP_NAME}`,
    description: article.description,
    productId: article.id,
    main,
  });
}

function breadcrumbs(article: Article, home: string): Markup {
  const department = DEPARTMENTS.find(({ id }) => id === article.department);
  const category = department?.categories.find(({ id }) => id === article.category);
  const steps = [
    { name: "Shop", link: home },
    { name: department?.name ?? "", link: `${home}#${article.department}` },
    { name: category?.name ?? "", link: `${home}#${article.category}` },
  ];
  return html`<nav class="crumbs" aria-label="Breadcrumb"><ol>${steps.map(({ name, link }) => html`<li><a href="${link}">${name}</a></li>`)}</ol></nav>`;
}

function variants(article: Article, home: string): Markup {
  const others = ARTICLES.filter(({ group, id }) => group !== "" && group === article.group && id !== article.id);
  if (others.length === 0) return html``;
  return html`<p class="variants">Also as ${others.map(({ id, title }) => html`<a href="${home}p/${id}">${title}</a>`)}</p>`;
}
