/**
 * What a training of the cart's order works on, kept so that trees can be learned again and again: the binned candidates of
 * the questions about the newest orders of train, and of those about the orders that judge.
 */
import { createRandom } from "../../src/learning/common/random.js";
import { firstRows, rowCount } from "../../src/learning/common/rows.js";
import { createTopK } from "../../src/learning/common/top-k.js";
import {
  type CartCandidates,
  type CartQuestion,
  type CartSources,
  createCartCandidates,
} from "../../src/learning/rank/carts/candidates.js";
import { CART_FEATURES } from "../../src/learning/rank/carts/features.js";
import { CART_RANKING_DEFAULTS, fitCartSources, pilotBins } from "../../src/learning/rank/carts/learn-ranking.js";
import { type AnsweredQuestion, cartQuestions, orderQuestions } from "../../src/learning/rank/carts/questions.js";
import { createRowBinner, type FeatureBins } from "../../src/learning/rank/trees/bins.js";
import { boostRanking } from "../../src/learning/rank/trees/listwise.js";
import { CART_PARTS, CART_PROPOSERS, type CartFeature, type CartProposer } from "./cart-parts.js";
import { type AskedRows, binColumns, columnsOf, cutRows, scoresOf } from "./cut.js";
import { readOrders } from "./orders.js";
import { type Figure, hitsOf, type Trial } from "./trial.js";

const WIDTH = CART_FEATURES.length;
const DEPTH = 20;
const GROWN_ON = 0.7;
const LEAST_SHARE = 1e-3;
const MAX_CANDIDATES = 1024;

/** How many of each source become candidates, of a cart and of a customer, as in `candidates.ts`. */
const TAKES = {
  ridge: [60, 180],
  neighbours: [40, 240],
  rules: [20, 20],
  near: [15, 15],
} as const;
const COLUMNS = {
  ridge: ["ridge", "ridge_rank"],
  neighbours: ["neighbours", "neighbours_rank"],
  rules: ["confidence", "confidence_rank"],
  near: ["near", "near_rank"],
} as const satisfies Record<string, readonly [CartFeature, CartFeature]>;
const SOURCES = ["ridge", "neighbours", "rules", "near"] as const;
const SELLING = 100;

interface Asked extends AskedRows {
  readonly answers: Int32Array;
  readonly proposed: Uint8Array;
  /** Scores that boosting starts from, of each row. */
  readonly ridge: Float32Array;
  readonly neighbours: Float32Array;
}

/** One kind of question: what trees learn from, and what judges them. */
interface Kind {
  readonly bins: FeatureBins;
  readonly learned: Asked;
  readonly heldOut: Asked;
  readonly dev: Asked;
  readonly devQuestions: readonly AnsweredQuestion[];
}

/** Every `every`-th order of those that judge asks. Throws when the set is not there. */
export function cartTrial(name: string, every: number, seed: number): Trial {
  const recorded = readOrders(name);
  if (recorded === undefined) throw new Error(`there are no orders of ${name}`);
  const { orders, judgedFrom, productCount } = recorded;
  const fit = (rows: number) => {
    const at = orders.at.subarray(0, rows);
    return fitCartSources({ baskets: firstRows(orders.baskets, rows), at }, productCount, at.at(-1) ?? 0);
  };
  const { newestShare, minOrders, maxOrders } = CART_RANKING_DEFAULTS;
  const wanted = Math.max(judgedFrom * newestShare, Math.min(minOrders, judgedFrom / 4));
  const from = judgedFrom - Math.floor(Math.min(maxOrders, wanted));
  const heldOutFrom = from + Math.floor((judgedFrom - from) * GROWN_ON);
  const older = fit(from);
  const all = fit(judgedFrom);
  const random = createRandom(seed);
  const kind = (make: typeof cartQuestions): Kind => {
    const known = (questions: AnsweredQuestion[], sources: CartSources) =>
      questions.filter(({ answer }) => sources.rules.productCounts[answer]! > 0);
    const newest = known(make(orders, from, judgedFrom, random), older);
    const devQuestions = known(make(orders, judgedFrom, rowCount(orders.baskets), random), all).filter(
      ({ row }) => (row - judgedFrom) % every === 0,
    );
    const bins = pilotBins(older, newest);
    const learned = newest.filter(({ row }) => row < heldOutFrom);
    const heldOut = newest.filter(({ row }) => row >= heldOutFrom);
    return {
      bins,
      learned: ask(older, learned, bins),
      heldOut: ask(older, heldOut, bins),
      dev: ask(all, devQuestions, bins),
      devQuestions,
    };
  };
  const carts = kind(cartQuestions);
  const customers = kind(orderQuestions);
  const kinds = customers.learned.answers.length > 0 ? [carts, customers] : [carts];
  const counts = kinds.map(({ learned, dev }) => `${learned.answers.length} / ${dev.answers.length}`);
  const learn = (without: readonly string[], itsSeed: number) => {
    const begun = process.cpuUsage();
    const learned = kinds.map((one) => learnWithout(one, without, itsSeed));
    const { user } = process.cpuUsage(begun);
    const rows = kinds.reduce((sum, { dev }) => sum + dev.proposed.length, 0);
    const left = learned.reduce((sum, one) => sum + one.left, 0);
    return { figures: learned.flatMap(({ figures }) => figures), seconds: user / 1e6, candidates: left / rows };
  };
  return {
    name,
    asked: `questions learned from / judged: ${counts.join(" of carts, ")}${kinds.length > 1 ? " of customers" : ""}`,
    figures: kinds.length > 1 ? FIGURES : FIGURES.slice(0, 4),
    parts: CART_PARTS.map((part) => part.name),
    learn,
    alone: [],
  };
}

const FIGURES = [
  "line: HR@20",
  "line: MRR@20",
  "rest: HR@20",
  "rest: MRR@20",
  "new: HR@20",
  "new: MRR@20",
  "again: HR@20",
  "again: MRR@20",
];

function learnWithout({ bins, learned, heldOut, dev, devQuestions }: Kind, without: readonly string[], seed: number) {
  const parts = CART_PARTS.filter((part) => without.includes(part.name));
  const features = parts.flatMap((part) => part.features);
  const kept = CART_FEATURES.flatMap((name, f) => (features.includes(name) ? [] : [f]));
  const dropped = parts.flatMap((part) => part.proposers).reduce((bits, proposer) => bits | bitOf(proposer), 0);
  const isLeft = (asked: Asked) => (row: number) => (asked.proposed[row]! & ~dropped) !== 0;
  const start = ({ ridge, neighbours }: Asked, row: number) => {
    const known =
      (features.includes("ridge") ? 0 : ridge[row]!) + (features.includes("neighbours") ? 0 : neighbours[row]!);
    return Math.log(Math.max(LEAST_SHARE, known));
  };
  const cut = (asked: Asked) => {
    const { rows, ...groups } = cutRows(asked, WIDTH, kept, isLeft(asked));
    return { ...groups, offsets: Float32Array.from(rows, (row) => start(asked, row)) };
  };
  const keptBins = columnsOf(bins, kept);
  const { boosting } = CART_RANKING_DEFAULTS;
  const { forest } = boostRanking(keptBins, cut(learned), cut(heldOut), boosting, createRandom(seed));
  const scores = scoresOf(forest, keptBins, binColumns(dev.binned, WIDTH, kept));
  for (let row = 0; row < scores.length; row++) scores[row]! += start(dev, row);
  const isLeftOfDev = isLeft(dev);
  const left = dev.proposed.reduce((sum, _, row) => (isLeftOfDev(row) ? sum + 1 : sum), 0);
  return { figures: figuresOf(judge(dev, scores, isLeftOfDev), devQuestions), left };
}

/** 1 / place of each answer, 0 beyond the 20th; of equal scores the answer's counts last. */
function judge({ groups, answers }: Asked, scores: Float64Array, isLeft: (row: number) => boolean): Float64Array {
  const found = new Float64Array(answers.length);
  for (const [q, answer] of answers.entries()) {
    if (answer < 0 || !isLeft(answer)) continue;
    let place = 1;
    for (let row = groups[q]!; row < groups[q + 1]!; row++)
      if (row !== answer && scores[row]! >= scores[answer]! && isLeft(row)) place++;
    if (place <= DEPTH) found[q] = 1 / place;
  }
  return found;
}

/** Two kinds of questions each: a line from all others or from the first; a product new to the customer or bought again. */
function figuresOf(found: Float64Array, questions: readonly AnsweredQuestion[]): Figure[] {
  const units = questions.map(({ row }) => row);
  const isFirst = questions.map(({ question, answer, leftOut }) =>
    question.purchases ? !question.purchases.products.includes(answer) : leftOut.size === 0,
  );
  return [true, false].flatMap((wanted) => {
    const values = found.map((value, q) => (isFirst[q] === wanted ? value : Number.NaN));
    return [
      { values: hitsOf(values), units },
      { values, units },
    ];
  });
}

const NOTHING: CartCandidates = { count: 0, products: new Uint32Array(0), rows: new Float32Array(0) };

/** The candidates of questions without those that a question leaves out. */
function ask(sources: CartSources, questions: readonly AnsweredQuestion[], bins: FeatureBins): Asked {
  const candidatesOf = createCartCandidates(sources);
  const binRows = createRowBinner(bins);
  const selling = mostSold(sources);
  const groups = [0];
  const answers = new Int32Array(questions.length).fill(-1);
  const cells = new Uint8Array(MAX_CANDIDATES * WIDTH);
  let binned = new Uint8Array(1 << 24);
  const proposed: number[] = [];
  const ridge: number[] = [];
  const neighbours: number[] = [];
  let asked: CartQuestion | undefined;
  let found = NOTHING;
  let bits = new Uint8Array(0);
  for (const [q, { question, answer, leftOut }] of questions.entries()) {
    if (question !== asked) {
      found = candidatesOf(question);
      bits = proposersOf(found, question.purchases !== undefined, selling);
      binRows(found.rows, found.count, cells, 0);
    }
    asked = question;
    let rows = proposed.length;
    if ((rows + found.count) * WIDTH > binned.length) {
      const larger = new Uint8Array(binned.length * 2);
      larger.set(binned);
      binned = larger;
    }
    for (let c = 0; c < found.count; c++) {
      if (leftOut.has(found.products[c]!)) continue;
      if (found.products[c] === answer) answers[q] = rows;
      binned.set(cells.subarray(c * WIDTH, (c + 1) * WIDTH), rows++ * WIDTH);
      proposed.push(bits[c]!);
      ridge.push(found.rows[c * WIDTH + RIDGE]!);
      neighbours.push(found.rows[c * WIDTH + NEIGHBOURS]!);
    }
    groups.push(rows);
  }
  return {
    binned: binned.subarray(0, proposed.length * WIDTH),
    groups: Uint32Array.from(groups),
    answers,
    proposed: Uint8Array.from(proposed),
    ridge: Float32Array.from(ridge),
    neighbours: Float32Array.from(neighbours),
  };
}

const columnOf = (name: CartFeature) => CART_FEATURES.indexOf(name);
const RIDGE = columnOf("ridge");
const NEIGHBOURS = columnOf("neighbours");
const TIMES_BOUGHT = columnOf("times_bought");

function mostSold({ sales }: CartSources): ReadonlySet<number> {
  const top = createTopK();
  top.reset(SELLING);
  for (const [product, share] of sales.days30.entries()) if (share > 0) top.offer(product, share);
  return new Set(top.take().indices);
}

/** Who proposed each candidate, a bit for each of `CART_PROPOSERS`. What a customer bought only the purchases propose. */
function proposersOf({ products, count, rows }: CartCandidates, ofCustomer: boolean, selling: ReadonlySet<number>) {
  const bits = new Uint8Array(count);
  const others: number[] = [];
  for (let c = 0; c < count; c++)
    if (rows[c * WIDTH + TIMES_BOUGHT]! > 0) bits[c] = bitOf("bought");
    else others.push(c);
  for (const source of SOURCES) {
    const [score, rank] = COLUMNS[source].map(columnOf);
    const best = others.filter((c) => rows[c * WIDTH + score!]! > 0);
    best.sort((a, b) => rows[a * WIDTH + rank!]! - rows[b * WIDTH + rank!]!);
    for (const c of best.slice(0, TAKES[source][ofCustomer ? 1 : 0])) bits[c]! |= bitOf(source);
  }
  if (ofCustomer) for (const c of others) if (selling.has(products[c]!)) bits[c]! |= bitOf("selling");
  return bits;
}

function bitOf(proposer: CartProposer): number {
  return 1 << CART_PROPOSERS.indexOf(proposer);
}
