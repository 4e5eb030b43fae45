import { type Article, DEMO_APP_NAME, decimalPrice, demoCatalogue } from "../catalogue.js";
import { html, type Markup } from "../html.js";

/** What a page needs to know of its surroundings. */
export interface PageOptions {
  /** App the page's calls are for. */
  readonly appId: string;
  /** Path from the page to the root that `/demo/` lies below, without a slash at its end, for example `..`. */
  readonly baseUrl: string;
  /** Origin of Aisle where that is another one than the shop's, for example `https://recs.shop.example`. */
  readonly serviceUrl?: string;
  /** Address of the console; absent without one. */
  readonly consoleUrl?: string;
}

export interface PageContent {
  /** What the page's script is to do. */
  readonly kind: "home" | "shelf" | "product" | "cart" | "thanks";
  readonly title: string;
  readonly description: string;
  /** Ids and names of the department, and the category, that the page belongs to; none for the others. */
  readonly path?: readonly { readonly id: string; readonly name: string }[];
  readonly main: Markup;
}

/** Nothing inline: styles and scripts are files of their own, so that this policy needs no exceptions. */
function policy(service: string): string {
  return `default-src 'none'; img-src 'self' http: https:; style-src 'self'; script-src 'self'${service}; connect-src 'self'${service}; form-action 'none'; base-uri 'none'`;
}

const MARK = html`<svg class="mark" viewBox="0 0 40 40" aria-hidden="true"><path d="M3 33 16 8l7 13 4-6 10 18Z" fill="currentColor"/><circle cx="30" cy="9" r="4" fill="#e8a23c"/></svg>`;

const CART = html`<svg class="sign" viewBox="0 0 24 24" aria-hidden="true"><path d="M6 8h12l-1 12H7ZM9 8a3 3 0 0 1 6 0" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round"/></svg>`;

/** A whole page around its content. */
export function layout({ appId, baseUrl, serviceUrl, consoleUrl }: PageOptions, content: PageContent): string {
  const { kind, title, description, path = [], main } = content;
  const home = `${baseUrl}/demo/`;
  const isHere = (id: string) => (path.some((level) => level.id === id) ? html` aria-current="true"` : html``);
  const toConsole =
    consoleUrl === undefined
      ? html``
      : html`<p class="small"><a href="${consoleUrl}">What Aisle saw: its console</a></p>`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(serviceUrl === undefined ? "" : ` ${serviceUrl}`)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${home}icon.svg">
<link rel="stylesheet" href="${home}shop.css">
<script src="${serviceUrl ?? baseUrl}/aisle.js" data-app="${appId}" defer></script>
<script src="${home}shop.js" defer></script>
</head>
<body data-kind="${kind}" data-root="${baseUrl}" data-category-ids="${joined(path.map(({ id }) => id))}" data-category-names="${joined(path.map(({ name }) => name))}">
<a class="skip" href="#main">Skip to content</a>
<header class="top"><div class="bar">
<a class="brand" href="${home}">${MARK}<span>${DEMO_APP_NAME}</span></a>
<nav class="departments" aria-label="Departments"><ul>${demoCatalogue().departments.map(({ id, name }) => html`<li><a href="${home}c/${id}"${isHere(id)}>${name}</a></li>`)}</ul></nav>
<a class="cart" href="${home}cart"${kind === "cart" ? html` aria-current="page"` : html``}>${CART}Cart <span class="count" id="cart-count">0</span></a>
</div></header>
<p class="toast" id="toast" role="status"></p>
<main id="main">
${main}
</main>
<footer>
<section class="letter" aria-labelledby="letter-title"><div><h2 id="letter-title">Letters from the fell</h2><p id="letter-state" role="status">New gear and old paths, once a month.</p></div>
<form id="letter" hidden><label for="letter-email">E-mail</label><input id="letter-email" name="email" type="email" autocomplete="email" required placeholder="you@example.com"><button type="submit">Subscribe</button></form></section>
<section class="privacy" aria-labelledby="privacy-title"><h2 id="privacy-title">Your choice</h2>
<p><button type="button" class="switch" id="consent" role="switch" aria-checked="false" disabled>Remember me for recommendations</button></p>
<p class="small" id="consent-state">Needs JavaScript.</p></section>
<details class="calls"><summary>What this page asked Aisle</summary><p class="small" id="ids"></p><ol id="calls"></ol></details>
${toConsole}
<noscript><p class="small">Cart and recommendations need JavaScript.</p></noscript>
<p class="small">A demo shop with invented goods and our own drawings. Nothing is sold here and no mail is sent; what you do trains the recommendations of the app “${appId}” on this installation.</p>
</footer>
</body>
</html>
`;
  return page.markup;
}

/** The page's script splits lists at `|`, which no id and no name contains. */
function joined(texts: readonly string[]): string {
  return texts.join("|");
}

/** Links to the shelves above the page. */
export function breadcrumbs(steps: readonly { readonly id: string; readonly name: string }[], home: string): Markup {
  const links = [{ name: "Shop", link: home }, ...steps.map(({ id, name }) => ({ name, link: `${home}c/${id}` }))];
  return html`<nav class="crumbs" aria-label="Breadcrumb"><ol>${links.map(({ name, link }) => html`<li><a href="${link}">${name}</a></li>`)}</ol></nav>`;
}

/** An article as a card that links to its page. */
export function card(article: Article, { baseUrl }: PageOptions): Markup {
  const sold = article.inStock ? html`` : html`<span class="badge">Out of stock</span>`;
  return html`<li><a class="card" href="${baseUrl}/demo/p/${article.id}"><img src="${baseUrl}/demo/img/${article.id}.svg" alt="" width="400" height="400" loading="lazy">${sold}<span class="name">${article.product.title}</span><span class="price">${priceText(article)}</span></a></li>`;
}

/** A place for recommendations of a frame configuration. The page's script lets Aisle's helper fill it. */
export function frame(frameId: string, list: "recommended" | "alternative", title: string): Markup {
  return html`<div class="frame" data-frame="${frameId}" data-list="${list}" data-title="${title}"></div>`;
}

export function priceText(article: Article): string {
  return `€ ${decimalPrice(article.cents)}`;
}
