/**
 * How well trees serve a shop that they learned nothing from: the forest that ships, and forests of the other data sets.
 *
 *   npm run bench -- leave-one-out [--sizes 300,3000,20000] [--questions N] [--mixtures] [--json FILE]
 *
 * Each data set is left out in turn. A forest learns from the others, cut to their newest 300, 1,500 and 6,000 sessions, and
 * is asked about the one left out. So is the forest that ships, which learned from simulated shops alone. Sources are
 * fitted on the newest sessions of train, so many as `--sizes` says. Every prefix of N steps of dev asks. VSTAN has the
 * parameters that a training chooses, and the same sessions. HR@20 and MRR@20; the gain in MRR@20 over VSTAN with its
 * 95 % interval over sessions. `--mixtures`: also the forest that ships with small trees added that learned from the others,
 * and a forest of 40 simulated shops and the others together. Orders of online_retail are sessions of lines in no order of time: they are left out.
 */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { meanOfUnits } from "../src/learning/common/proportions.js";
import { shippedForest } from "../src/learning/ranking/reranker/shipped-forest.js";
import { needsSharedData } from "../test/fixtures/shared-data.js";
import { judgeForests } from "./born-trained/judge.js";
import { learnForest } from "./born-trained/learn-forest.js";
import { recordedSessions } from "./born-trained/recorded.js";
import { type Shop, type ShopSession, shopOf } from "./born-trained/shops.js";
import { simulatedShops } from "./born-trained/simulated.js";

const NAMES = ["diginetica", "yoochoose_100k", "tmall"] as const;
const LEARNED_SIZES = [300, 1500, 6000];
const LEARNED_QUESTIONS = 1500;
/** Steps of a mixture: of each simulated shop, and of each cut of the other data sets. */
const MIXED = {
  simulated: 40,
  ofSimulated: 150,
  ofOthers: 600,
  added: { trees: 60, leaves: 6, learningRate: 0.07 },
} as const;
const SEED = 20_261_124;

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "300,3000,20000" },
    questions: { type: "string", default: "2000" },
    mixtures: { type: "boolean", default: false },
    json: { type: "string" },
  },
});
const sets = new Map<string, { readonly train: ShopSession[]; readonly dev: ShopSession[] }>();
for (const name of NAMES) {
  if (!needsSharedData("behaviour", name)) process.exit(2);
  sets.set(name, { train: await recordedSessions(name, "train"), dev: await recordedSessions(name, "dev") });
}
const shipped = shippedForest();
const FORESTS = { shipped: "forest that ships", others: "forest of the others", added: "both", mixture: "mixture" };
const names = [...(shipped ? ["shipped"] : []), "others", ...(values.mixtures ? ["added", "mixture"] : [])];
const titles = Object.entries(FORESTS).flatMap(([name, title]) => (names.includes(name) ? [title, "gain"] : []));
const head = ["left out", "sessions", "VSTAN", ...titles];
const simulated = values.mixtures ? simulatedShops(MIXED.simulated) : [];
const table = new Table({ style: { head: [], border: [] }, head });
const results: object[] = [];

function mixturesOf(shops: readonly Shop[]) {
  const options = { questionsPerShop: MIXED.ofOthers, seed: SEED, say: () => undefined };
  const isSimulated = new Set(simulated);
  const questionsOf = (shop: Shop) => (isSimulated.has(shop) ? MIXED.ofSimulated : MIXED.ofOthers);
  return {
    ...(shipped && { added: learnForest(shops, { ...options, prior: shipped, boosting: MIXED.added }) }),
    mixture: learnForest([...simulated, ...shops], { ...options, questionsOf }),
  };
}

for (const [name, { train, dev }] of sets) {
  const others = [...sets].filter(([other]) => other !== name);
  const shops = others.flatMap(([other, { train: sessions }]) =>
    LEARNED_SIZES.map((size) => shopOf(`${other} ${size}`, sessions.slice(-size))),
  );
  const ofOthers = learnForest(shops, { questionsPerShop: LEARNED_QUESTIONS, seed: SEED, say: () => undefined });
  const forests = { ...(shipped && { shipped }), others: ofOthers, ...(values.mixtures && mixturesOf(shops)) };
  for (const size of values.sizes.split(",").map(Number)) {
    const judged = judgeForests(train.slice(-size), dev, forests, { most: Number(values.questions), seed: SEED });
    const [vstan, ...rows] = judged.rows;
    if (vstan === undefined) continue;
    const figures = (row: typeof vstan) => `${row.hitRate.toFixed(3)} / ${row.reciprocalRank.toFixed(3)}`;
    const gains = rows.map((row) => {
      const lead = row.reciprocals.map((value, i) => value - vstan.reciprocals[i]!);
      const { value, low, high } = meanOfUnits(lead, judged.units);
      const [share, least, most] = [value, low, high].map((each) => (100 * each) / vstan.reciprocalRank);
      return { name: row.name, hitRate: row.hitRate, reciprocalRank: row.reciprocalRank, share, least, most };
    });
    const cells = rows.flatMap((row, r) => {
      const { share = 0, least = 0, most = 0 } = gains[r] ?? {};
      return [figures(row), `${share.toFixed(1)} % (${least.toFixed(1)} to ${most.toFixed(1)})`];
    });
    table.push([name, Math.min(size, train.length), figures(vstan), ...cells]);
    const { hitRate, reciprocalRank } = vstan;
    results.push({ leftOut: name, sessions: Math.min(size, train.length), vstan: { hitRate, reciprocalRank }, gains });
  }
}
console.log(table.toString());
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(results)}\n`);
