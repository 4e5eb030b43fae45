import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Rows, rowCount, rowsFrom } from "../../../src/learning/common/rows.js";
import { createNeighbourVotes } from "../../../src/learning/ranking/reranker/neighbour-votes.js";
import { Slots } from "../../../src/learning/ranking/reranker/score-board.js";
import { LiveSessions } from "../../../src/learning/session/live-sessions.js";
import {
  countSessions,
  createSessionRecommender,
  fitSessionNeighbours,
  type SessionNeighbours,
} from "../../../src/learning/session/session-neighbours.js";
import { QUICK, type SessionParams } from "../../../src/learning/session/session-params.js";

const PRODUCTS = 12;
const HOUR = 3_600_000;
// Few sessions of an item, so that the bound is met. Sessions stay whole: of a continued one that is cut at its bound,
// a product may be lost that the fitted list of sessions no longer holds others of.
const TIGHT: Partial<SessionParams> = { ...QUICK, sessionsPerItem: 4, sessionItems: 20 };

interface Visit {
  readonly items: readonly number[];
  readonly endedAt: number;
}

function fit(visits: readonly Visit[], params: Partial<SessionParams> & { keepFrom?: number }): SessionNeighbours {
  const sorted = [...visits].sort((a, b) => a.endedAt - b.endedAt);
  const sessions = rowsFrom(sorted.map(({ items }) => items));
  return fitSessionNeighbours(
    { sessions, endedAt: Float64Array.from(sorted, ({ endedAt }) => endedAt) },
    PRODUCTS,
    params,
  );
}

/** `all`: the sessions it was fitted from, of which it keeps those that a product lists. */
function open(fitted: SessionNeighbours, agesFrom: number, all: Rows = fitted.sessions) {
  const steps = LiveSessions.open(fitted, { inSessions: countSessions(all, PRODUCTS), agesFrom });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Scores of all products by session neighbours alone. */
function scoresOf(model: SessionNeighbours, items: readonly number[]): Map<number, number> {
  const { indices, scores } = createSessionRecommender(model).recommend({ items: Uint32Array.from(items) }, PRODUCTS);
  return new Map(Array.from(indices, (product, i) => [product, scores[i]!] as const).sort(([a], [b]) => a - b));
}

/** What the ranker reads of session neighbours. */
function votesOf(model: SessionNeighbours, items: readonly number[]) {
  const slots = new Slots(PRODUCTS);
  const votes = createNeighbourVotes(model, slots);
  const neighbours = votes.ask(Uint32Array.from(items));
  const boards = [votes.close, votes.plain, votes.next, votes.holders, votes.shared];
  const values = Array.from({ length: PRODUCTS }, (_, product) =>
    boards.map((board) => board.values[slots.of(product) * board.width + board.place]!),
  );
  return { neighbours, values };
}

function expectAlike(live: SessionNeighbours, fitted: SessionNeighbours, query: readonly number[]): void {
  const [found, wanted] = [scoresOf(live, query), scoresOf(fitted, query)];
  expect([...found.keys()]).toEqual([...wanted.keys()]);
  for (const [product, score] of wanted) expect(found.get(product)! / score).toBeCloseTo(1, 4);
  const [votes, wantedVotes] = [votesOf(live, query), votesOf(fitted, query)];
  expect(votes.neighbours).toBe(wantedVotes.neighbours);
  for (const [product, values] of wantedVotes.values.entries())
    for (const [board, value] of values.entries()) expect(votes.values[product]![board]).toBeCloseTo(value, 4);
}

const items = fc.array(fc.nat(PRODUCTS - 1), { minLength: 1, maxLength: 9 });
const query = fc.array(fc.nat(PRODUCTS - 1), { minLength: 1, maxLength: 6 });

describe("live sessions", () => {
  it("answer as neighbours fitted from all sessions, also after some were continued and some forgotten", () => {
    const plan = fc.record({
      old: fc.array(items, { minLength: 3, maxLength: 30 }),
      fresh: fc.array(fc.record({ items, isForgotten: fc.boolean() }), { minLength: 1, maxLength: 25 }),
      continued: fc.array(items, { maxLength: 3 }),
      queries: fc.array(query, { minLength: 1, maxLength: 5 }),
    });
    fc.assert(
      fc.property(plan, ({ old, fresh, continued, queries }) => {
        const before = old.map((its, n): Visit => ({ items: its, endedAt: n * HOUR }));
        const agesFrom = before.at(-1)!.endedAt;
        // The newest fitted sessions were under way.
        const replaced = continued.slice(0, before.length).map((_, n) => before.length - 1 - n);
        const fittedBefore = fit(before, { ...TIGHT, keepFrom: before.length - replaced.length });
        const live = open(fittedBefore, agesFrom, rowsFrom(old));
        const dropped = before.length - rowCount(fittedBefore.sessions);
        for (const row of replaced) live.live.hide(row - dropped, true);
        let at = agesFrom;
        const later: Visit[] = [];
        const learn = (its: readonly number[]): number => {
          at += HOUR;
          later.push({ items: its, endedAt: at });
          return live.live.add(Uint32Array.from(its), at);
        };
        for (const [n, row] of replaced.entries()) learn([...before[row]!.items, ...continued[n]!]);
        for (const { items: its, isForgotten } of fresh) {
          const session = learn(its);
          if (!isForgotten) continue;
          later.pop();
          live.live.remove(session);
        }
        while (live.live.sweep(5)) {}
        const all = [...before.filter((_, row) => !replaced.includes(row)), ...later];
        const fitted = fit(all, TIGHT);
        // Ages count from the newest session that was ever learned, so scores may share a factor.
        const newest = Math.max(...all.map(({ endedAt }) => endedAt));
        fc.pre(newest === at);
        for (const one of queries) expectAlike(live, fitted, one);
      }),
    );
  });

  it("leave no trace when all of them are forgotten", () => {
    const visits = [
      [0, 1],
      [1, 2, 3],
      [3, 0],
      [2, 2, 1],
    ].map((its, n): Visit => ({ items: its, endedAt: n * HOUR }));
    const fitted = fit(visits, TIGHT);
    const live = open(fitted, 3 * HOUR);
    live.live.hide(2, true);
    const sessions = [[1, 2], [0, 3, 1], [2]].map((its) => live.live.add(Uint32Array.from(its), 3 * HOUR));
    expect(scoresOf(live, [1])).not.toEqual(scoresOf(fitted, [1]));
    for (const session of sessions) live.live.remove(session);
    live.live.hide(2, false);
    while (live.live.sweep(100)) {}
    for (const one of [[0], [1], [2], [3], [0, 1, 2]]) expect(scoresOf(live, one)).toEqual(scoresOf(fitted, one));
    expect([live.live.size, live.live.itemCount]).toEqual([0, 0]);
  });

  it("refuse a session beyond their bound", () => {
    const rows: Rows = rowsFrom([[0, 1]]);
    const live = open(fitSessionNeighbours({ sessions: rows, endedAt: Float64Array.of(0) }, PRODUCTS), 0);
    for (let n = 0; n < live.live.capacity; n++) live.live.add(Uint32Array.of(1, 2), n);
    expect(() => live.live.add(Uint32Array.of(1), 0)).toThrow(RangeError);
  });
});
