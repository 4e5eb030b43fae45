import { expect, it } from "vitest";
import type { VisitorHistory } from "../../src/domain/interaction.js";
import { describeWithSharedData, readCsvGz } from "../fixtures/shared-data.js";
import { evaluate, figureOf, orderOf, product, shop } from "./memory-shop.js";

const SECONDS = 120_000;

describeWithSharedData("behaviour", "yoochoose_100k")("clicks of yoochoose_100k", (folder) => {
  it("are foretold better by every source that has a say than by popularity", { timeout: SECONDS }, async () => {
    const visits = new Map<string, VisitorHistory["interactions"][number][]>();
    for (const { session = "", item = "", ts } of readCsvGz(`${folder}/train.csv.gz`)) {
      const steps = visits.get(session) ?? [];
      visits.set(session, steps);
      steps.push({ type: "product_view", at: Math.round(Number(ts) * 1000), productIds: [item], ref: "" });
    }
    const newest = [...visits.values()].sort((a, b) => a[0]!.at - b[0]!.at).slice(-2000);
    const items = new Set(newest.flat().flatMap(({ productIds }) => productIds));
    const histories = newest.map((interactions, n) => ({
      visitorId: String(n).padStart(6, "0"),
      interactions: interactions.sort((a, b) => a.at - b.at),
    }));
    const stores = shop(
      [...items].map((item) => product(item)),
      histories,
    );
    const evaluation = await evaluate(stores, { maxQueries: 400 });
    for (const task of ["next_item", "next_new_item"])
      for (const ranking of ["recommended", "collaborative"])
        for (const figure of ["hit_rate_20", "reciprocal_rank_20"])
          expect
            .soft(figureOf(evaluation, task, ranking, figure), `${figure} of ${ranking} in ${task}`)
            .toBeGreaterThan(2 * figureOf(evaluation, task, "popularity", figure));
  });
});

describeWithSharedData("baskets", "online_retail")("orders of online_retail", (folder) => {
  it("are completed better by every source that has a say than by popularity", { timeout: SECONDS }, async () => {
    const baskets = new Map<string, string[]>();
    for (const { basket_id = "", item_id = "" } of readCsvGz(`${folder}/baskets.csv.gz`)) {
      const basket = baskets.get(basket_id) ?? [];
      baskets.set(basket_id, basket);
      basket.push(item_id);
    }
    const some = [...baskets.values()].slice(0, 2500).map((items) => items.slice(0, 8));
    const items = new Set(some.flat());
    const stores = shop(
      [...items].map((item) => product(item)),
      some.map((basket, n) => orderOf(n, ...basket)),
    );
    const evaluation = await evaluate(stores, { maxQueries: 250 });
    // The figures these tasks are compared by. Rules of one rare product are few: a list that is not full has fewer
    // chances to hold any one of the rest, so their hit rate there is no better than that of twenty bestsellers.
    const figures = { hidden_line: "hit_rate_20", rest_of_order: "recall_20" };
    for (const [task, main] of Object.entries(figures))
      for (const ranking of ["recommended", "cart", "association_rules"])
        for (const figure of [main, "reciprocal_rank_20"])
          expect
            .soft(figureOf(evaluation, task, ranking, figure), `${figure} of ${ranking} in ${task}`)
            .toBeGreaterThan(figureOf(evaluation, task, "popularity", figure));
  });
});
