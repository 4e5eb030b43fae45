import { describe, expect, it } from "vitest";
import { rowCount, rowsFrom } from "../../../../src/learning/common/rows.js";
import { queryOf, questionCount, questionsFrom } from "../../../../src/learning/rank/visits/questions.js";
import { MAX_VISIT_STEPS, type Visits } from "../../../../src/learning/rank/visits/visits.js";
import { walks } from "./simulated-visits.js";

/** Everything a session asks, as "what was done -> what came next"; 1x2 is product 1 twice in a row. */
function asked(visits: Visits, first = 0): string[] {
  return [...questionsFrom(visits, first)].map((question) => {
    const { items, runs } = queryOf(visits, question);
    return `${[...items].map((item, i) => (runs[i] === 1 ? item : `${item}x${runs[i]}`)).join(" ")} -> ${question.next}`;
  });
}

const visitsOf = (rows: number[][], runs: number[], previous: number[]): Visits => ({
  sessions: rowsFrom(rows),
  runs: Uint32Array.from(runs),
  endedAt: Float64Array.from(rows.keys()),
  previous: Int32Array.from(previous),
});

describe("the ranker's training questions", () => {
  it("ask at every step for the next, repeated views included", () => {
    const visits = visitsOf([[1, 2, 1]], [2, 1, 3], [-1]);
    expect(asked(visits)).toEqual(["1 -> 1", "1x2 -> 2", "1x2 2 -> 1", "1x2 2 1 -> 1", "1x2 2 1x2 -> 1"]);
  });

  it("include earlier sessions of the visitor, and ask for the first step of a later one", () => {
    const visits = visitsOf([[1, 2], [5], [2, 3]], [1, 1, 1, 1, 1], [-1, -1, 0]);
    expect(asked(visits, 1)).toEqual(["1 2 -> 2", "1 2x2 -> 3"]);
  });

  it("use the newest steps only", () => {
    const long = Array.from({ length: MAX_VISIT_STEPS + 5 }, (_, i) => i);
    const last = [...questionsFrom(visitsOf([long], new Array(long.length).fill(1), [-1]), 0)].at(-1)!;
    const { items } = queryOf(visitsOf([long], new Array(long.length).fill(1), [-1]), last);
    expect([items.length, items[0], items.at(-1)]).toEqual([MAX_VISIT_STEPS, 4, MAX_VISIT_STEPS + 3]);
  });

  it("are as many as are counted", () => {
    const visits = walks(50, 3);
    let counted = 0;
    for (let s = 0; s < rowCount(visits.sessions); s++) counted += questionCount(visits, s);
    expect([...questionsFrom(visits, 0)].length).toBe(counted);
  });
});
