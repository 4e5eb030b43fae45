import { rowCount } from "../../common/rows.js";
import { MAX_VISIT_STEPS, type VisitQuery, type Visits } from "./visits.js";

/** A moment of a visit, and the product that was met next. */
export interface Question {
  /** Row of the session. */
  readonly session: number;
  /** Place in the session of the last product met; -1 before the first. */
  readonly at: number;
  /** How often in a row it had been met. */
  readonly run: number;
  readonly next: number;
}

/** How many questions the session of a row asks: one for each of its steps but the first of a new visitor. */
export function questionCount(visits: Visits, session: number): number {
  let steps = 0;
  for (let at = visits.sessions.offsets[session]!; at < visits.sessions.offsets[session + 1]!; at++)
    steps += visits.runs[at]!;
  return visits.previous[session]! >= 0 ? steps : Math.max(0, steps - 1);
}

/** The questions of the sessions from row `first` on, in order. */
export function* questionsFrom(visits: Visits, first: number): Generator<Question> {
  const { sessions, runs, previous } = visits;
  for (let session = first; session < rowCount(sessions); session++) {
    const begin = sessions.offsets[session]!;
    const length = sessions.offsets[session + 1]! - begin;
    if (length === 0) continue;
    if (previous[session]! >= 0) yield { session, at: -1, run: 0, next: sessions.items[begin]! };
    for (let at = 0; at < length; at++) {
      const product = sessions.items[begin + at]!;
      for (let run = 1; run < runs[begin + at]!; run++) yield { session, at, run, next: product };
      if (at + 1 < length) yield { session, at, run: runs[begin + at]!, next: sessions.items[begin + at + 1]! };
    }
  }
}

/** What the visitor had done at that moment, earlier sessions included: the newest steps of all. */
export function queryOf({ sessions, runs, previous }: Visits, { session, at, run }: Question): VisitQuery {
  const begin = sessions.offsets[session]!;
  const parts = [sessions.items.subarray(begin, begin + at + 1)];
  const ownRuns = runs.slice(begin, begin + at + 1);
  if (at >= 0) ownRuns[at] = run;
  const partRuns: Uint32Array[] = [ownRuns];
  let length = at + 1;
  for (let row = previous[session]!; row >= 0 && length < MAX_VISIT_STEPS; row = previous[row]!) {
    const from = sessions.offsets[row]!;
    const to = sessions.offsets[row + 1]!;
    parts.unshift(sessions.items.subarray(from, to));
    partRuns.unshift(runs.subarray(from, to));
    length += to - from;
  }
  if (parts.length === 1) return newest({ items: parts[0]!, runs: partRuns[0]! });
  return newest(joined(parts, partRuns));
}

/** One visit after the other; what ends one and begins the next is one run. */
function joined(parts: readonly Uint32Array[], partRuns: readonly Uint32Array[]): VisitQuery {
  const items: number[] = [];
  const runs: number[] = [];
  for (const [p, part] of parts.entries()) {
    for (const [i, product] of part.entries()) {
      const run = partRuns[p]![i]!;
      if (items.at(-1) === product) runs[runs.length - 1]! += run;
      else {
        items.push(product);
        runs.push(run);
      }
    }
  }
  return { items: Uint32Array.from(items), runs: Uint32Array.from(runs) };
}

function newest({ items, runs }: VisitQuery): VisitQuery {
  return { items: items.slice(-MAX_VISIT_STEPS), runs: runs.slice(-MAX_VISIT_STEPS) };
}
