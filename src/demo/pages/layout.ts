import { decimalPrice } from "../catalogue/catalogue.js";
import type { Article } from "../catalogue/notation.js";
import { html, type Markup } from "../html.js";
import { DEMO_APP_NAME } from "../shop.js";

/** What a page needs to know of the server. */
export interface PageOptions {
  /** App the page's calls are for. */
  readonly appId: string;
  /** Path from the page to the facade's root without a slash at its end, for example `..`; or a URL of the same origin. */
  readonly baseUrl: string;
}

export interface PageContent {
  readonly title: string;
  readonly description: string;
  /** Product the page shows; "" for none. */
  readonly productId: string;
  readonly main: Markup;
}

/** Nothing inline: styles and script are files of their own, so that this policy needs no exceptions. */
const POLICY =
  "default-src 'none'; img-src 'self' http: https:; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'";

const MARK = html`<svg class="mark" viewBox="0 0 40 40" aria-hidden="true"><path d="M3 33 16 8l7 13 4-6 10 18Z" fill="currentColor"/><circle cx="30" cy="9" r="4" fill="#e8a23c"/></svg>`;

/** A whole page around its content. */
export function layout({ appId, baseUrl }: PageOptions, { title, description, productId, main }: PageContent): string {
  const home = `${baseUrl}/demo/`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${home}icon.svg">
<link rel="stylesheet" href="${home}shop.css">
<script src="${home}shop.js" defer></script>
</head>
<body data-app="${appId}" data-root="${baseUrl}" data-product="${productId}">
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="${home}">${MARK}<span>${DEMO_APP_NAME}</span></a>
<details class="cart" id="cart"><summary>Cart <span class="count" id="cart-count">0</span></summary>
<div class="panel"><ul id="cart-lines"></ul><p id="cart-empty">Your cart is empty.</p>
<div class="row" id="cart-actions" hidden><button type="button" id="cart-order">Order</button><button type="button" class="plain" id="cart-clear">Empty cart</button></div></div></details>
</header>
<p class="toast" id="toast" role="status" aria-live="polite"></p>
<main id="main">
${main}
</main>
<footer>
<section class="letter" aria-labelledby="letter-title"><div><h2 id="letter-title">Letters from the fell</h2><p id="letter-state">New gear and old paths, once a month.</p></div>
<form id="letter"><label for="letter-email">E-mail</label><input id="letter-email" name="email" type="email" autocomplete="email" required placeholder="you@example.com"><button type="submit">Subscribe</button></form></section>
<details class="calls"><summary>Calls this page made</summary><ol id="calls"></ol><noscript><p>Recommendations need JavaScript.</p></noscript></details>
<p class="small">A demo shop with invented goods. Nothing is sold here; orders train the recommendations of the app “${appId}”.</p>
</footer>
</body>
</html>
`;
  return page.markup;
}

/** An article as a card that links to its page. */
export function card(article: Article, { baseUrl }: PageOptions): Markup {
  const sold = article.inStock ? html`` : html`<span class="badge">Out of stock</span>`;
  return html`<li><a class="card" href="${baseUrl}/demo/p/${article.id}"><img src="${baseUrl}/demo/img/${article.id}.svg" alt="" width="400" height="400" loading="lazy">${sold}<span class="name">${article.title}</span><span class="price">${priceText(article)}</span></a></li>`;
}

/** A row of recommendations that the page's script fills; hidden until there is something in it. */
export function recommendationRow(list: "recommended" | "alternative", heading: string, hint: string): Markup {
  return html`<section class="frame" data-list="${list}" aria-labelledby="${list}-title" hidden><div class="heading"><h2 id="${list}-title">${heading}</h2><p>${hint}</p></div><ul class="cards scroll" tabindex="0" aria-labelledby="${list}-title"></ul></section>`;
}

export function priceText(article: Article): string {
  return `€ ${decimalPrice(article.cents)}`;
}
