/**
 * Whether the scores of a learned order are probabilities: the softmax over the candidates of a question against how often
 * the candidate came next. Expected calibration error: mean distance of both in bins of equally many candidates (Guo and
 * others: On calibration of modern neural networks, ICML 2017), here over the first 20 places of each question.
 */
import type { DevQuestions } from "./lab.js";

interface Shown {
  readonly probability: number;
  readonly isNext: boolean;
}

const PLACES = 20;
const BINS = 20;

export interface Calibration {
  readonly error: number;
  /** Of the other half of the questions, after isotonic regression on the first half. */
  readonly errorAfter: number;
  readonly errorOfHalf: number;
  /** The first place: mean probability, and how often it came next. */
  readonly first: Readonly<Record<"probability" | "rate", number>>;
}

export function calibrationOf(dev: DevQuestions, scores: Float64Array): Calibration {
  const questions = Array.from(dev.answers, (answer, q) => shownOf(dev, scores, q, answer));
  const middle = questions.length >> 1;
  const learned = questions.slice(0, middle).flat();
  const judged = questions.slice(middle).flat();
  const curve = isotonic(learned);
  const firsts = questions.flatMap((shown) => shown.slice(0, 1));
  const corrected = judged.map(({ probability, isNext }) => ({ probability: valueAt(curve, probability), isNext }));
  return {
    error: calibrationError(questions.flat()),
    errorOfHalf: calibrationError(judged),
    errorAfter: calibrationError(corrected),
    first: { probability: mean(firsts.map(({ probability }) => probability)), rate: rateOf(firsts) },
  };
}

function shownOf({ groups }: DevQuestions, scores: Float64Array, q: number, answer: number): readonly Shown[] {
  const rows = Array.from({ length: groups[q + 1]! - groups[q]! }, (_, i) => groups[q]! + i);
  const most = rows.reduce((max, row) => Math.max(max, scores[row]!), Number.NEGATIVE_INFINITY);
  const parts = rows.map((row) => ({ row, part: Math.exp(scores[row]! - most) }));
  const sum = parts.reduce((all, { part }) => all + part, 0);
  parts.sort((a, b) => b.part - a.part);
  return parts.slice(0, PLACES).map(({ row, part }) => ({ probability: part / sum, isNext: row === answer }));
}

function calibrationError(shown: readonly Shown[]): number {
  const sorted = shown.toSorted((a, b) => a.probability - b.probability);
  let error = 0;
  for (let bin = 0; bin < BINS; bin++) {
    const part = sorted.slice(Math.floor((bin * sorted.length) / BINS), Math.floor(((bin + 1) * sorted.length) / BINS));
    if (part.length === 0) continue;
    const distance = Math.abs(mean(part.map(({ probability }) => probability)) - rateOf(part));
    error += (distance * part.length) / sorted.length;
  }
  return error;
}

/** Rising steps that fit best, by pooling neighbours that fall (Ayer and others 1955): least probability and rate of each. */
function isotonic(shown: readonly Shown[]): readonly { readonly from: number; readonly rate: number }[] {
  const pools: { from: number; sum: number; count: number }[] = [];
  for (const { probability, isNext } of shown.toSorted((a, b) => a.probability - b.probability)) {
    pools.push({ from: probability, sum: Number(isNext), count: 1 });
    for (let last = pools.at(-1)!, before = pools.at(-2); before !== undefined; before = pools.at(-2)) {
      if (before.sum * last.count < last.sum * before.count) break;
      before.sum += last.sum;
      before.count += last.count;
      pools.pop();
      last = before;
    }
  }
  return pools.map(({ from, sum, count }) => ({ from, rate: sum / count }));
}

function valueAt(curve: ReturnType<typeof isotonic>, probability: number): number {
  let low = 0;
  let high = curve.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (curve[middle]!.from <= probability) low = middle;
    else high = middle;
  }
  return curve[low]?.rate ?? 0;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function rateOf(shown: readonly Shown[]): number {
  return shown.filter(({ isNext }) => isNext).length / Math.max(1, shown.length);
}
