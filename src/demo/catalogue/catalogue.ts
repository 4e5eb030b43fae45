import { CAMP } from "./camp.js";
import { CARE } from "./care.js";
import { CLOTHING } from "./clothing.js";
import type { Article, ArticleCategory, Department } from "./notation.js";
import { TRAIL } from "./trail.js";
import { WHEELS_AND_WATER } from "./wheels-and-water.js";

/** Everything the demo shop sells, in the order of its shelves. */
export const DEPARTMENTS: readonly Department[] = [CAMP, TRAIL, CLOTHING, WHEELS_AND_WATER, CARE];

export const CATEGORIES: readonly ArticleCategory[] = DEPARTMENTS.flatMap((department) => department.categories);

export const ARTICLES: readonly Article[] = CATEGORIES.flatMap((category) => category.articles);

const BY_ID: ReadonlyMap<string, Article> = new Map(ARTICLES.map((article) => [article.id, article]));

export function articleById(id: string): Article | undefined {
  return BY_ID.get(id);
}

/** A shelf of the shop: a department with all its categories, or one category with the department it is in. */
export interface Shelf {
  readonly department: Department;
  readonly categories: readonly ArticleCategory[];
  /** Ids and names, broad to narrow: one level for a department, two for a category. */
  readonly path: readonly { readonly id: string; readonly name: string }[];
}

/** The shelf that an id of a department or a category names. */
export function shelfById(id: string): Shelf | undefined {
  for (const department of DEPARTMENTS) {
    if (department.id === id) return { department, categories: department.categories, path: [department] };
    const category = department.categories.find((one) => one.id === id);
    if (category !== undefined) return { department, categories: [category], path: [department, category] };
  }
  return undefined;
}

/** Euro cents as decimal text: 4490 is `44.90`. */
export function decimalPrice(cents: number): string {
  return (cents / 100).toFixed(2);
}
