/**
 * Variants of one product in the figures of an evaluation. Answers show one variant of a group. Sources and baselines
 * know no groups, so their lists and all questions are read the same way: one product stands for its group.
 */
import type { Product } from "../../domain/product.js";
import type { ServingModel } from "../sources/source.js";
import type { Question } from "./questions.js";

/** A list is asked for so many times as many products at most, so that enough are left when variants are joined. */
const MOST_LONGER = 10;

export interface Siblings {
  /** The most popular variant of the product's group; itself where it has none. */
  of(product: number): number;
  /** How many times longer a list has to be so that it has enough groups. */
  readonly longer: number;
}

export function siblingsOf(
  products: readonly Pick<Product, "productId" | "variantGroupId">[],
  { indexOf, popularity }: Pick<ServingModel, "indexOf" | "popularity">,
): Siblings {
  const groups = new Map<string, number[]>();
  for (const { productId, variantGroupId } of products) {
    const index = indexOf(productId);
    if (variantGroupId === "" || index === undefined) continue;
    const group = groups.get(variantGroupId);
    if (group === undefined) groups.set(variantGroupId, [index]);
    else group.push(index);
  }
  const standing = new Map<number, number>();
  let longer = 1;
  for (const group of groups.values()) {
    if (group.length === 1) continue;
    longer = Math.max(longer, Math.min(MOST_LONGER, group.length));
    const [most] = group.toSorted((a, b) => popularity[b]! - popularity[a]! || a - b);
    for (const product of group) standing.set(product, most!);
  }
  return { of: (product) => standing.get(product) ?? product, longer };
}

/** The list with one product of each group, in its order. */
export function joinedList(list: Iterable<number>, siblings: Siblings): number[] {
  return [...new Set(joined(list, siblings))];
}

/** The question by groups; undefined when a variant of what is asked for is left out of every ranking. */
export function joinedQuestion(question: Question, siblings: Siblings): Question | undefined {
  if (siblings.longer === 1) return question;
  const excluded = new Set(joined(question.excluded, siblings));
  const wanted = new Set(joined(question.wanted, siblings).filter((product) => !excluded.has(product)));
  const next = question.next === undefined ? undefined : siblings.of(question.next);
  if (wanted.size === 0 || (next !== undefined && excluded.has(next))) return undefined;
  return { ...question, excluded, wanted, next };
}

function joined(products: Iterable<number>, siblings: Siblings): number[] {
  return Array.from(products, (product) => siblings.of(product));
}
