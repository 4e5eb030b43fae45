import { expect, it } from "vitest";
import { createRandom } from "../../../../src/learning/common/random.js";
import { rowsFrom } from "../../../../src/learning/common/rows.js";
import { chooseSessionParams } from "../../../../src/learning/sources/sessions/session-tuning.js";

/** Visits that go around in the same three products again and again, among 40 such triples. */
function returningVisits(count: number): number[][] {
  const random = createRandom(5);
  return Array.from({ length: count }, () => {
    const triple = Math.floor(random() * 40) * 3;
    return Array.from({ length: 12 }, () => triple + Math.floor(random() * 3));
  });
}

const inputOf = (visits: number[][]) => ({
  sessions: rowsFrom(visits),
  endedAt: Float64Array.from(visits, (_, s) => s * 60_000),
});

it("session tuning keeps the default while there are too few newest sessions", () => {
  const choice = chooseSessionParams(inputOf(returningVisits(50)), 120);
  expect(choice.name).toBe("browsing");
  expect(choice.tried).toEqual([]);
});

it("session tuning tries each preset on the newest sessions and takes none that is worse than the default", () => {
  const choice = chooseSessionParams(inputOf(returningVisits(600)), 120);
  expect(choice.tried.map((tried) => tried.name)).toEqual(["browsing", "quick", "returning"]);
  const worth = (name: string) => {
    const tried = choice.tried.find((preset) => preset.name === name)!;
    return tried.hitRate + tried.reciprocalRank;
  };
  expect(worth(choice.name)).toBeGreaterThanOrEqual(worth("browsing"));
  expect(worth(choice.name)).toBeGreaterThan(1);
});

it("session tuning chooses the same preset every time", () => {
  const input = inputOf(returningVisits(600));
  expect(chooseSessionParams(input, 120)).toEqual(chooseSessionParams(input, 120));
});
