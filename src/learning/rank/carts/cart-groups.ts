/**
 * Questions with known answers as groups of candidates with features, and how well scores put the answers first.
 */
import {
  CART_FEATURES,
  type CartCandidates,
  type CartQuestion,
  type CartSources,
  createCartCandidates,
} from "./cart-candidates.js";
import type { AnsweredQuestion } from "./cart-questions.js";

const PLACES = 20;

/** The candidates of many questions; those whose answer is no candidate are counted only. */
export interface CartGroups {
  readonly asked: number;
  readonly rows: Float32Array;
  /** As in `RankedGroups`. */
  readonly groups: Uint32Array;
  readonly answers: Uint32Array;
}

export function cartGroups(sources: CartSources, questions: readonly AnsweredQuestion[]): CartGroups {
  const candidatesOf = createCartCandidates(sources);
  const width = CART_FEATURES.length;
  let rows = new Float32Array(width * 1024);
  let size = 0;
  const groups = [0];
  const answers: number[] = [];
  let asked: CartQuestion | undefined;
  let found: CartCandidates = { count: 0, products: new Uint32Array(0), rows: new Float32Array(0) };
  for (const { question, answer, leftOut } of questions) {
    // Several answers to one question follow each other.
    if (question !== asked) found = candidatesOf(question);
    asked = question;
    const products = found.products.subarray(0, found.count);
    if (!products.includes(answer)) continue;
    if ((size + found.count) * width > rows.length) {
      const larger = new Float32Array(rows.length * 2);
      larger.set(rows);
      rows = larger;
    }
    for (const [c, product] of products.entries()) {
      if (leftOut.has(product)) continue;
      if (product === answer) answers.push(size);
      rows.set(found.rows.subarray(c * width, (c + 1) * width), size++ * width);
    }
    groups.push(size);
  }
  return {
    asked: questions.length,
    rows: rows.subarray(0, size * width),
    groups: Uint32Array.from(groups),
    answers: Uint32Array.from(answers),
  };
}

export function joined(parts: readonly CartGroups[]): CartGroups {
  const [first, second] = parts;
  if (first === undefined || second === undefined) return first ?? NOTHING;
  const shift = first.groups.at(-1)!;
  const rows = new Float32Array(first.rows.length + second.rows.length);
  rows.set(first.rows);
  rows.set(second.rows, first.rows.length);
  return {
    asked: first.asked + second.asked,
    rows,
    groups: Uint32Array.from([...first.groups, ...second.groups.subarray(1).map((at) => at + shift)]),
    answers: Uint32Array.from([...first.answers, ...second.answers.map((at) => at + shift)]),
  };
}

const NOTHING: CartGroups = {
  asked: 0,
  rows: new Float32Array(0),
  groups: new Uint32Array(1),
  answers: new Uint32Array(0),
};

export interface Judged {
  readonly hitRate: number;
  readonly reciprocalRank: number;
}

/** Share of the answers among the first 20, and mean of 1 / place. */
export function judge({ asked, groups, answers }: CartGroups, scores: Float64Array): Judged {
  let hits = 0;
  let reciprocal = 0;
  for (const [g, answer] of answers.entries()) {
    let place = 1;
    for (let r = groups[g]!; r < groups[g + 1]!; r++) if (r !== answer && scores[r]! >= scores[answer]!) place++;
    if (place > PLACES) continue;
    hits++;
    reciprocal += 1 / place;
  }
  return { hitRate: hits / Math.max(1, asked), reciprocalRank: reciprocal / Math.max(1, asked) };
}
