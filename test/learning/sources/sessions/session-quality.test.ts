import { expect, it } from "vitest";
import { rowsFrom } from "../../../../src/learning/common/rows.js";
import { fitSessionNeighbours } from "../../../../src/learning/sources/sessions/session-neighbours.js";
import { createSessionRecommender } from "../../../../src/learning/sources/sessions/session-recommender.js";
import { chooseSessionParams } from "../../../../src/learning/sources/sessions/session-tuning.js";
import { describeWithSharedData, readCsvGz } from "../../../fixtures/shared-data.js";

interface Visit {
  readonly items: string[];
  endedAt: number;
}

function readVisits(path: string): Visit[] {
  const visits = new Map<string, Visit>();
  const rows = readCsvGz(path).map(({ session = "", item = "", ts }) => ({ session, item, at: Number(ts) * 1000 }));
  for (const { session, item, at } of rows.sort((a, b) => a.at - b.at)) {
    const visit = visits.get(session) ?? { items: [], endedAt: at };
    visits.set(session, visit);
    visit.items.push(item);
    visit.endedAt = at;
  }
  return [...visits.values()].sort((a, b) => a.endedAt - b.endedAt);
}

describeWithSharedData("behaviour", "yoochoose_100k")("next click on yoochoose_100k", (folder) => {
  it("session neighbours have the next product among 20 in more than 0.64 of all steps, at an MRR above 0.35", () => {
    const train = readVisits(`${folder}/train.csv.gz`);
    const indexOf = new Map<string, number>();
    for (const { items } of train) for (const item of items) if (!indexOf.has(item)) indexOf.set(item, indexOf.size);
    const known = (items: string[]) => items.map((item) => indexOf.get(item)).filter((index) => index !== undefined);
    const input = {
      sessions: rowsFrom(train.map((visit) => known(visit.items))),
      endedAt: Float64Array.from(train, (visit) => visit.endedAt),
    };
    const { params } = chooseSessionParams(input, indexOf.size);
    const recommender = createSessionRecommender(fitSessionNeighbours(input, indexOf.size, params));
    let steps = 0;
    let hits = 0;
    let reciprocal = 0;
    for (const visit of readVisits(`${folder}/dev.csv.gz`)) {
      const items = Uint32Array.from(known(visit.items));
      for (let length = 1; length < items.length; length++) {
        const rank = recommender.recommend({ items: items.subarray(0, length) }, 20).indices.indexOf(items[length]!);
        steps++;
        if (rank >= 0) hits++;
        if (rank >= 0) reciprocal += 1 / (rank + 1);
      }
    }
    expect(steps).toBeGreaterThan(10_000);
    expect(hits / steps).toBeGreaterThan(0.64);
    expect(reciprocal / steps).toBeGreaterThan(0.35);
  });
});
