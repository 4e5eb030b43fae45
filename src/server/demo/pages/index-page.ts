import { DEMO_APP_NAME, type Department, demoCatalogue } from "../catalogue.js";
import { html, type Markup } from "../html.js";
import { frame, layout, type PageOptions } from "./layout.js";

/** Pictures beside the welcome. */
const WELCOME = ["lark-2", "enamel-mug", "moorland-mid"];

/** The shop's first page: its departments, and what is recommended to the visitor. */
export function indexPage(options: PageOptions): string {
  const home = `${options.baseUrl}/demo/`;
  const { articles, departments } = demoCatalogue();
  const main = html`<section class="welcome"><div>
<h1>Gear for nights under an open sky</h1>
<p>${articles.length} things for camping, walking, riding and paddling. Look around: each view, each cart and each order of this demo shop goes to Aisle, and what it learns comes back as the rows of recommendations.</p>
<p><a class="button" href="${home}c/tents">Start with a tent</a></p></div>
<div class="pictures" aria-hidden="true">${WELCOME.map((id) => html`<img src="${home}img/${id}.svg" alt="" width="400" height="400">`)}</div></section>
${frame("home", "recommended", "You may also like")}
<section aria-labelledby="departments-title"><h2 id="departments-title">All shelves</h2>
<ul class="tiles">${departments.map((department) => tile(department, home))}</ul></section>
${frame("home", "alternative", "Also worth a look")}`;
  return layout(options, {
    kind: "home",
    title: DEMO_APP_NAME,
    description: "A demo shop for outdoor gear with recommendations by Aisle.",
    main,
  });
}

function tile({ id, name, categories }: Department, home: string): Markup {
  const [first = [], second = []] = [0, 1].map((at) => categories.flatMap(({ articles }) => articles[at] ?? []));
  const pictures = [...first, ...second].slice(0, 3);
  return html`<li class="tile"><div class="tile-pictures" aria-hidden="true">${pictures.map((article) => html`<img src="${home}img/${article.id}.svg" alt="" width="400" height="400" loading="lazy">`)}</div>
<h3><a href="${home}c/${id}">${name}</a></h3>
<ul class="chips">${categories.map((category) => html`<li><a href="${home}c/${category.id}">${category.name}</a></li>`)}</ul></li>`;
}
