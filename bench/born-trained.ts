/**
 * Learns the forest that ships from simulated shops and writes it into the program.
 *
 *   npm run born-trained [-- --shops N] [--questions N] [--out FILE]
 *
 * Shops of many kinds and sizes are simulated (bench/born-trained/simulated.ts); no recorded visit is read. The same numbers
 * give the same bytes. Takes some minutes.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { FEATURES } from "../src/learning/rank/visits/feature-names.js";
import { learnForest } from "./born-trained/learn-forest.js";
import { moduleOf, packForest } from "./born-trained/pack-forest.js";
import { SHIPPED_OPTIONS, simulatedShops } from "./born-trained/simulated.js";

const FILE = join(import.meta.dirname, "../src/learning/rank/visits/shipped-forest-asset.ts");
const { values } = parseArgs({
  options: {
    shops: { type: "string", default: String(SHIPPED_OPTIONS.shops) },
    questions: { type: "string", default: String(SHIPPED_OPTIONS.questionsPerShop) },
    out: { type: "string", default: FILE },
  },
});
const shops = Number(values.shops);
const questionsPerShop = Number(values.questions);
const say = (line: string) => console.log(line);
const begun = performance.now();
const forest = learnForest(simulatedShops(shops), { ...SHIPPED_OPTIONS, questionsPerShop, say });
const learnedFrom = `${shops} simulated shops of seeds from 1, at most ${questionsPerShop} steps each`;
const text = moduleOf(packForest(forest, FEATURES, learnedFrom));
writeFileSync(values.out, text);
say(`${values.out}: ${text.length} bytes, in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
