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

/** Euro cents as decimal text: 4490 is `44.90`. */
export function decimalPrice(cents: number): string {
  return (cents / 100).toFixed(2);
}
