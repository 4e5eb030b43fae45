import { ARTICLES, CATEGORIES, DEPARTMENTS } from "../catalogue/catalogue.js";
import { html } from "../html.js";
import { DEMO_APP_NAME } from "../shop.js";
import { card, layout, type PageOptions, recommendationRow } from "./layout.js";

/** Pictures beside the welcome. */
const WELCOME = ["lark-2", "enamel-mug", "moorland-mid"];

/** The shop's first page: every category with its articles, and what is recommended to the visitor. */
export function indexPage(options: PageOptions): string {
  const main = html`<section class="welcome"><div>
<h1>Gear for nights under an open sky</h1>
<p>${ARTICLES.length} things for camping, walking, riding and paddling. Look around: every view, every cart and every order of this demo shop goes through Aisle, and the rows “you may also like” come back from it.</p>
<p><a class="button" href="#camp">Start with a tent</a></p></div>
<div class="pictures" aria-hidden="true">${WELCOME.map((id) => html`<img src="${options.baseUrl}/demo/img/${id}.svg" alt="" width="400" height="400">`)}</div></section>
<nav class="chips" aria-label="Categories"><ul>${CATEGORIES.map(({ id, name }) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>
${recommendationRow("recommended", "You may also like", "From what you looked at, and what others took with it.")}
${recommendationRow("alternative", "Similar to what you saw", "Other answers to the same wish.")}
${DEPARTMENTS.map(
  (department) => html`<section class="department" id="${department.id}" aria-labelledby="${department.id}-title">
<h2 id="${department.id}-title">${department.name}</h2>
${department.categories.map(
  (category) => html`<section id="${category.id}" aria-labelledby="${category.id}-title">
<div class="heading"><h3 id="${category.id}-title">${category.name}</h3><p>${category.blurb}</p></div>
<ul class="cards">${category.articles.map((article) => card(article, options))}</ul>
</section>
`,
)}</section>
`,
)}`;
  return layout(options, {
    title: DEMO_APP_NAME,
    description: "A demo shop for outdoor gear with recommendations by Aisle.",
    productId: "",
    main,
  });
}
