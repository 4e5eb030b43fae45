/**
 * Whether young shops are served at least as well as by popularity, item kNN, VSTAN and EASE^R: recorded shops cut to their
 * newest sessions or orders, asked about later ones.
 */
import { expect, it } from "vitest";
import { describeWithSharedData, readCsvGz, readCsvGzEnd } from "../../fixtures/shared-data.js";
import { cutShop } from "./cut-shop.js";
import { type JudgedCut, judgeCut } from "./judge-cut.js";

const SECONDS = 300_000;
const QUESTIONS = 1_000;

interface Row {
  readonly session: number;
  readonly item: string;
  readonly at: number;
}

/** Rows of sessions without clock times, or of orders, by session. */
function grouped(rows: readonly Record<string, string>[]): Row[][] {
  const sessions = new Map<number, Row[]>();
  for (const { session, invoice, item = "", position, ts } of rows) {
    const number = Number(session ?? invoice);
    const at = ts === undefined ? number * 60_000 + Number(position) * 1000 : Date.parse(ts);
    sessions.set(number, [...(sessions.get(number) ?? []), { session: number, item, at }]);
  }
  return [...sessions.values()].sort((a, b) => a.at(-1)!.at - b.at(-1)!.at);
}

/** Baselines that lead the service's answer beyond the interval of the bootstrap. */
function losses({ tasks }: JudgedCut): string[] {
  return tasks.flatMap(({ task, rankings }) =>
    rankings
      .slice(1)
      .filter(({ hitRateLead, reciprocalRankLead }) => hitRateLead.high < 0 || reciprocalRankLead.high < 0)
      .map(({ name, hitRateLead, reciprocalRankLead }) =>
        [task, name, hitRateLead.value.toFixed(3), reciprocalRankLead.value.toFixed(3)].join(" "),
      ),
  );
}

describeWithSharedData("behaviour", "diginetica")("a shop of 200 sessions", (folder) => {
  it("is not served worse than by any baseline", { timeout: SECONDS }, async () => {
    const train = grouped(readCsvGzEnd(`${folder}/train.csv.gz`, 2_000));
    const dev = grouped(readCsvGz(`${folder}/dev.csv.gz`));
    const shop = { isOrders: false, train, dev, titles: new Map<string, string>() };
    const judged = await judgeCut(cutShop(shop, 200), false, QUESTIONS);
    expect(judged.tasks.map(({ task }) => task)).toEqual(["next_item", "next_new_item"]);
    expect(losses(judged)).toEqual([]);
  });
});

describeWithSharedData("behaviour", "online_retail")("a shop of 200 orders", (folder) => {
  it("is not served worse than by any baseline", { timeout: SECONDS }, async () => {
    const train = grouped(readCsvGzEnd(`${folder}/train.csv.gz`, 12_000));
    const dev = grouped(readCsvGz(`${folder}/dev.csv.gz`));
    const titles = new Map(readCsvGz(`${folder}/products.csv.gz`).map(({ item = "", title = "" }) => [item, title]));
    const shop = { isOrders: true, train, dev, titles };
    const judged = await judgeCut(cutShop(shop, 200), true, QUESTIONS);
    expect(losses(judged)).toEqual([]);
  });
});
