/**
 * How good young shops are served: recorded shops are cut to their newest 200, 1,000 and 5,000 sessions or orders.
 *
 *   npm run bench -- small-shops [diginetica|online_retail …] [--sizes 200,1000,5000] [--questions N] [--json FILE]
 *       [--picture FILE.svg] [--cuts N]
 *
 * A cut shop is trained as any app is, in this process, and asked what came next in later visits (dev), or for the hidden
 * line of later orders. A question counts when the cut knows the answer and something of the question; N of these are
 * drawn by a fixed seed. `recommended` is what the service answers; the others are `aisle evaluate`'s baselines on the same
 * data. EASE^R is exact up to 4,000 products; beyond, its form within neighbourhoods stands in. Intervals: bootstrap over
 * visits or orders. `lead`: how far the answer is above a baseline; a loss is a lead whose whole interval is below 0.
 * `--cuts N`: N shops of each size that end evenly over train, asked about the sessions after them, in place of the newest
 * one; it prints the lead of each and their mean. One small shop is one case: few products decide.
 */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { meanOfUnits } from "../src/learning/common/proportions.js";
import { needsSharedData, sharedData } from "../test/fixtures/shared-data.js";
import { smallShopsPicture } from "./small-shops/curves.js";
import { cutShop, type RecordedShop, readRecordedShop } from "./small-shops/cut-shop.js";
import { type Interval, type JudgedCut, judgeCut } from "./small-shops/judge-cut.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sizes: { type: "string", default: "200,1000,5000" },
    questions: { type: "string", default: "2000" },
    json: { type: "string" },
    picture: { type: "string" },
    cuts: { type: "string" },
  },
});
const names = positionals.length > 0 ? positionals : ["diginetica", "online_retail"];
const sizes = values.sizes.split(",").map(Number);
const shown = ({ value, low, high }: Interval) => `${value.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;

/** Prints the leads over each baseline in several cuts of a shop, and their mean with its 95 % interval over the cuts. */
async function judgeCuts(shop: RecordedShop, size: number, count: number): Promise<void> {
  const { train } = shop;
  const later = Math.floor(train.length / (count + 1));
  const leads = new Map<string, number[]>();
  for (let at = 1; at <= count; at++) {
    const end = Math.max(size, at * later);
    const part = { ...shop, train: train.slice(0, end), dev: train.slice(end, end + later) };
    const { tasks } = await judgeCut(cutShop(part, size), shop.isOrders, Number(values.questions));
    for (const { task, rankings } of tasks)
      for (const { name, hitRateLead, reciprocalRankLead } of rankings.slice(1))
        for (const [figure, { value }] of [
          ["HR@20", hitRateLead],
          ["MRR@20", reciprocalRankLead],
        ] as const) {
          const key = `${task} ${figure} over ${name}`;
          leads.set(key, [...(leads.get(key) ?? []), value]);
        }
  }
  console.log(`\n${shop.name}, ${count} cuts of ${size}`);
  for (const [key, each] of leads) {
    const { value, low, high } = meanOfUnits(each, [...each.keys()]);
    const list = each.map((lead) => lead.toFixed(3)).join(" ");
    console.log(`  ${key}: ${value.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)}); ${list}`);
  }
}

const judged: (JudgedCut & { readonly dataSet: string; readonly size: number })[] = [];
for (const name of names) {
  const folder = sharedData("behaviour", name);
  if (!needsSharedData("behaviour", name) || folder === undefined) process.exit(2);
  const shop = await readRecordedShop(name, folder);
  for (const size of sizes) {
    if (values.cuts !== undefined) {
      await judgeCuts(shop, size, Number(values.cuts));
      continue;
    }
    const cut = await judgeCut(cutShop(shop, size), shop.isOrders, Number(values.questions));
    judged.push({ dataSet: name, size, ...cut });
    const unit = shop.isOrders ? "orders" : "sessions";
    console.log(`\n${name}, ${size} ${unit}, ${cut.products} products, trained in ${cut.trainSeconds.toFixed(1)} s`);
    for (const { name: algorithm, included, reason } of cut.algorithms)
      if (!included) console.log(`  ${algorithm}: left out: ${reason}`);
    for (const { task, questions, rankings } of cut.tasks) {
      const head = [`${task}, ${questions} questions`, "HR@20", "MRR@20", "lead in HR", "lead in MRR"];
      const table = new Table({ style: { head: [], border: [] }, head });
      for (const row of rankings) {
        const figures = [row.hitRate, row.reciprocalRank].map(shown);
        const leads = [row.hitRateLead, row.reciprocalRankLead].map(shown);
        table.push([row.name, ...figures, ...(row === rankings[0] ? ["", ""] : leads)]);
      }
      console.log(table.toString());
    }
  }
}
const losses = judged.flatMap(({ dataSet, size, tasks }) =>
  tasks.flatMap(({ task, rankings }) =>
    rankings.slice(1).flatMap(({ name, hitRateLead, reciprocalRankLead }) =>
      [
        { figure: "HR@20", lead: hitRateLead },
        { figure: "MRR@20", lead: reciprocalRankLead },
      ]
        .filter(({ lead }) => lead.high < 0)
        .map(({ figure, lead }) => `${dataSet} ${size} ${task}: ${figure} ${lead.value.toFixed(3)} against ${name}`),
    ),
  ),
);
if (values.cuts === undefined) console.log(losses.length === 0 ? "\nno loss" : `\nlosses:\n  ${losses.join("\n  ")}`);
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(judged)}\n`);
if (values.picture !== undefined) await writeFile(values.picture, smallShopsPicture(judged));
