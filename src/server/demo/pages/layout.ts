import { type Article, DEMO_APP_NAME, decimalPrice, demoCatalogue } from "../catalogue.js";
import { html, type Markup, page } from "../html.js";

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

/** A whole page around its content. */
export function layout({ appId, baseUrl, serviceUrl, consoleUrl }: PageOptions, content: PageContent): string {
  const { kind, title, description, path = [], main } = content;
  const home = `${baseUrl}/demo/`;
  const isHere = (id: string) => (path.some((level) => level.id === id) ? html` aria-current="true"` : html``);
  const toConsole =
    consoleUrl === undefined
      ? html``
      : html`<p class="small"><a href="${consoleUrl}">What Aisle saw: its console</a></p>`;
  return page("layout.html", {
    ...{ policy: policy(serviceUrl === undefined ? "" : ` ${serviceUrl}`), service: serviceUrl ?? baseUrl, toConsole },
    ...{ shop: DEMO_APP_NAME, appId, root: baseUrl, home, kind, title, description, main },
    categoryIds: joined(path.map(({ id }) => id)),
    categoryNames: joined(path.map(({ name }) => name)),
    departments: demoCatalogue().departments.map(
      ({ id, name }) => html`<li><a href="${home}c/${id}"${isHere(id)}>${name}</a></li>`,
    ),
    cartCurrent: kind === "cart" ? html` aria-current="page"` : "",
  }).markup;
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
