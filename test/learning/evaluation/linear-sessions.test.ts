import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/learning/common/random.js";
import { rowOf, rowsFrom } from "../../../src/learning/common/rows.js";
import {
  fitLinearSessions,
  LINEAR_SESSIONS,
  type LinearSessionParams,
} from "../../../src/learning/evaluation/linear-sessions.js";
import { sessionRecency } from "../../../src/learning/sources/sessions/session-neighbours.js";

const PRODUCTS = 9;
const DAY = 86_400_000;

function sessionsOf(count: number): number[][] {
  const random = createRandom(3);
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + Math.floor(random() * 6) }, () => Math.floor(random() * PRODUCTS)),
  );
}

interface Row {
  readonly weight: number;
  readonly known: readonly number[];
  readonly wanted: readonly number[];
}

/** The rows of SLIS and SLIT, written out. */
function writtenOut(sessions: number[][], recency: Float32Array, params: LinearSessionParams): Row[] {
  return sessions.flatMap((session, s) => {
    const weight = recency[s]! / session.length ** params.lengthNormalisation;
    const all = Array.from({ length: PRODUCTS }, (_, p) => session.filter((item) => item === p).length);
    const slis = { weight: weight * params.together, known: all, wanted: all };
    const slit = session.slice(1).map((_, t) => {
      const known = new Array<number>(PRODUCTS).fill(0);
      const wanted = new Array<number>(PRODUCTS).fill(0);
      for (const [at, item] of session.entries()) {
        if (at <= t) known[item]! += Math.exp((at - t) / params.stepDecay);
        else wanted[item]! += Math.exp((t + 1 - at) / params.stepDecay);
      }
      return { weight: weight * (1 - params.together), known, wanted };
    });
    return [slis, ...slit];
  });
}

/** Weights of the others for one product by Gauss's elimination. */
function solved(rows: readonly Row[], j: number, ridge: number): number[] {
  const others = Array.from({ length: PRODUCTS }, (_, p) => p).filter((p) => p !== j);
  const system = others.map((a) => [
    ...others.map((b) =>
      rows.reduce((sum, row) => sum + row.weight * row.known[a]! * row.known[b]!, a === b ? ridge : 0),
    ),
    rows.reduce((sum, row) => sum + row.weight * row.known[a]! * row.wanted[j]!, 0),
  ]);
  for (const [i, pivot] of system.entries())
    for (const [k, line] of system.entries())
      if (k !== i) {
        const factor = line[i]! / pivot[i]!;
        for (let c = 0; c < line.length; c++) line[c]! -= factor * pivot[c]!;
      }
  const weights = new Array<number>(PRODUCTS).fill(0);
  for (const [i, line] of system.entries()) weights[others[i]!] = line.at(-1)! / line[i]!;
  return weights;
}

describe("the linear session model", () => {
  it.each([0.8, 0.3])("has the weights of its rows written out and solved (together %s)", (together) => {
    const sessions = sessionsOf(60);
    const recency = Float32Array.from(sessions, (_, s) => 0.5 + s / 60);
    const params = { ...LINEAR_SESSIONS, together, ridge: 3, stepDecay: 2 };
    const rows = writtenOut(sessions, recency, params);
    const { edges, weights } = fitLinearSessions(rowsFrom(sessions), recency, PRODUCTS, params);
    const found = Array.from({ length: PRODUCTS }, () => new Array<number>(PRODUCTS).fill(0));
    for (let i = 0; i < PRODUCTS; i++)
      for (const [e, j] of rowOf(edges, i).entries()) found[i]![j] = weights[edges.offsets[i]! + e]!;
    for (let j = 0; j < PRODUCTS; j++)
      for (const [i, weight] of solved(rows, j, params.ridge).entries())
        expect(found[i]![j]).toBeCloseTo(Math.max(0, weight), 5);
  });

  it("keeps the heaviest products of each, the heaviest first", () => {
    const { edges, weights } = fitLinearSessions(rowsFrom(sessionsOf(200)), new Float32Array(200).fill(1), PRODUCTS, {
      ...LINEAR_SESSIONS,
      keep: 3,
    });
    for (let i = 0; i < PRODUCTS; i++) {
      const its = [...weights.subarray(edges.offsets[i], edges.offsets[i + 1])];
      expect(its.length).toBeLessThanOrEqual(3);
      expect(its).toEqual([...its].sort((a, b) => b - a));
    }
  });

  it("has no edges without sessions", () => {
    const { edges } = fitLinearSessions(rowsFrom([]), new Float32Array(0), 2);
    expect([...edges.offsets]).toEqual([0, 0, 0]);
  });
});

describe("the recency of sessions", () => {
  it("falls to 1/e after the days given, and never to 0", () => {
    const recency = sessionRecency(Float64Array.of(0, 9_990 * DAY, 10_000 * DAY), 10);
    expect(recency[2]).toBe(1);
    expect(recency[1]).toBeCloseTo(Math.exp(-1), 6);
    expect(recency[0]).toBeGreaterThan(0);
  });
});
