/**
 * What the bounds on sessions cost: next-item prediction by session neighbours alone, with fewer sessions for each product
 * and with the newest steps alone.
 *
 *   npm run bench -- session-bounds [--data diginetica,yoochoose_100k,tmall] [--every 4]
 *
 * `m`: newest sessions listed for each product. `kept`: sessions that some product lists, as a share of those learned
 * from. `newest`: share of the steps of train that is learned from, the newest. HR@20 and MRR@20 are those of `sessions`, on
 * every N-th session of dev; the difference to all of train with the usual bound is in brackets.
 */
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { rowCount } from "../src/learning/common/rows.js";
import { queryOf } from "../src/learning/ranking/reranker/questions.js";
import { firstVisits } from "../src/learning/ranking/reranker/visits.js";
import { createSessionRecommender, fitSessionNeighbours } from "../src/learning/session/session-neighbours.js";
import { chooseSessionParams } from "../src/learning/session/session-tuning.js";
import { needsSharedData } from "../test/fixtures/shared-data.js";
import { readSessionData } from "./session-data.js";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "diginetica,yoochoose_100k,tmall" },
    every: { type: "string", default: "4" },
  },
});
const DEPTH = 20;
const USUAL = { m: 1000, share: 1 };
const TRIED = [
  USUAL,
  ...[10_000, 500, 250, 100, 50].map((m) => ({ ...USUAL, m })),
  ...[1 / 2, 1 / 4, 1 / 8, 1 / 16].map((share) => ({ ...USUAL, share })),
];

type Data = ReturnType<typeof readSessionData>;

/** The newest sessions with this share of the steps. */
function newest({ visits: { sessions, endedAt } }: Data, share: number) {
  const least = sessions.items.length * (1 - share);
  const first = sessions.offsets.findIndex((offset) => offset >= least);
  const from = sessions.offsets[first] ?? 0;
  return {
    sessions: {
      offsets: sessions.offsets.subarray(first).map((at) => at - from),
      items: sessions.items.subarray(from),
    },
    endedAt: endedAt.subarray(first),
  };
}

function judge(data: Data, { m, share }: typeof USUAL, params: ReturnType<typeof chooseSessionParams>["params"]) {
  const input = newest(data, share);
  const model = fitSessionNeighbours(input, data.productCount, { ...params, sessionsPerItem: m });
  const recommender = createSessionRecommender(model);
  let hits = 0;
  let reciprocal = 0;
  const from = process.cpuUsage();
  for (const question of data.questions) {
    const { items } = queryOf(data.judged, question);
    const place = recommender.recommend({ items }, DEPTH).indices.indexOf(question.next);
    if (place < 0) continue;
    hits++;
    reciprocal += 1 / (place + 1);
  }
  const { user, system } = process.cpuUsage(from);
  const asked = data.questions.length;
  const kept = rowCount(model.sessions) / rowCount(input.sessions);
  return { hitRate: hits / asked, reciprocalRank: reciprocal / asked, kept, micros: (user + system) / asked };
}

for (const name of values.data.split(",")) {
  if (!needsSharedData("behaviour", name)) continue;
  const data = readSessionData(name, Number(values.every), false);
  const all = firstVisits(data.visits, rowCount(data.visits.sessions));
  const { params, name: preset } = chooseSessionParams(all, data.productCount);
  const table = new Table({
    style: { head: [], border: [] },
    head: [`${name} (${preset})`, "m", "newest", "kept", "HR@20", "MRR@20", "µs"],
    colAligns: ["left", ...Array.from({ length: 6 }, () => "right" as const)],
  });
  let usual: ReturnType<typeof judge> | undefined;
  for (const bound of TRIED) {
    const judged = judge(data, bound, params);
    usual ??= judged;
    const beside = (value: number, other: number) => `${value.toFixed(4)} (${(value - other).toFixed(4)})`;
    table.push([
      "",
      bound.m,
      bound.share.toFixed(3),
      judged.kept.toFixed(3),
      beside(judged.hitRate, usual.hitRate),
      beside(judged.reciprocalRank, usual.reciprocalRank),
      judged.micros.toFixed(0),
    ]);
  }
  console.log(`${rowCount(all.sessions)} sessions, ${data.productCount} products, ${data.questions.length} questions`);
  console.log(table.toString());
}
