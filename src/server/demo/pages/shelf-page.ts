import type { Category, Shelf } from "../catalogue.js";
import { DEMO_APP_NAME } from "../catalogue.js";
import { html, type Markup } from "../html.js";
import { breadcrumbs, card, frame, layout, type PageOptions } from "./layout.js";

/** The page of a department or a category: its articles, and what is recommended beside them. */
export function shelfPage({ department, categories, path }: Shelf, options: PageOptions): string {
  const home = `${options.baseUrl}/demo/`;
  const name = path.at(-1)?.name ?? department.name;
  const isDepartment = path.length === 1;
  const shelves = isDepartment
    ? categories.map((category) => section(category, options))
    : categories.map(
        ({ articles }) => html`<ul class="cards">${articles.map((article) => card(article, options))}</ul>`,
      );
  const others = isDepartment ? categories : department.categories;
  const main = html`${breadcrumbs(path.slice(0, -1), home)}
<div class="heading"><h1>${name}</h1><p>${isDepartment ? "" : (categories[0]?.blurb ?? "")}</p></div>
<nav aria-label="Shelves of ${department.name}"><ul class="chips">${others.map((category) => html`<li><a href="${home}c/${category.id}"${path.includes(category) ? html` aria-current="page"` : html``}>${category.name}</a></li>`)}</ul></nav>
${shelves}
${frame("default", "recommended", "For you on this shelf")}`;
  return layout(options, {
    kind: "shelf",
    title: `${name} – ${DEMO_APP_NAME}`,
    description: categories.map(({ blurb }) => blurb).join(" "),
    path,
    main,
  });
}

function section({ id, name, blurb, articles }: Category, options: PageOptions): Markup {
  return html`<section aria-labelledby="${id}-title">
<div class="heading"><h2 id="${id}-title"><a href="${options.baseUrl}/demo/c/${id}">${name}</a></h2><p>${blurb}</p></div>
<ul class="cards">${articles.map((article) => card(article, options))}</ul></section>
`;
}
