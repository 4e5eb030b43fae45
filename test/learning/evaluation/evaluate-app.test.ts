import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { EvaluationSchema, EvaluationTask, Ranking } from "../../../src/gen/aisle/v1/evaluation_pb.js";
import { Algorithm } from "../../../src/gen/aisle/v1/model_pb.js";
import type { FigureName } from "../../../src/learning/evaluation/report.js";
import { evaluationMessage } from "../../../src/services/evaluation-messages.js";
import { evaluate, figureOf, orderOf, orders, product, shop, visit } from "./memory-shop.js";

const COUNT = 30;
const KINDS = [
  { name: "tents", words: "canvas shelter with poles and pegs" },
  { name: "stoves", words: "burner for gas cartridges with flame guard" },
  { name: "lamps", words: "battery lantern with warm white light" },
] as const;

/** Thirty products of each kind; a visitor of tent n goes on to stove n and then lamp n. Bestseller: tent 0. */
const CATALOGUE = KINDS.flatMap(({ name, words }) =>
  Array.from({ length: COUNT }, (_, n) =>
    product(`${name}${n}`, {
      title: `${words} ${name} model ${n}`,
      categories: [{ categoryId: name, name: "" }],
    }),
  ),
);
const LATE = product("late", {
  title: "canvas shelter with poles and pegs tents model 3 plus",
  categories: [{ categoryId: "tents", name: "" }],
});
const trail = (n: number, i: number) =>
  i % 4 === 3 ? visit(i, "tents0", `stoves${n}`) : visit(i, `tents${n}`, `stoves${n}`, `lamps${n}`);
const TRAILS = Array.from({ length: 400 }, (_, i) => trail((i * 7) % COUNT, i));
const CARTS = Array.from({ length: 200 }, (_, i) =>
  orderOf(400 + i, `tents${i % COUNT}`, `stoves${i % COUNT}`, `lamps${i % COUNT}`),
);
/** Since the cut-off: the same trails, a late product after a tent, orders. */
const NEWEST = [
  ...Array.from({ length: 40 }, (_, i) => trail((i * 11) % COUNT, 700 + i)),
  ...Array.from({ length: 6 }, (_, i) => visit(750 + i, "tents3", "late")),
  ...Array.from({ length: 20 }, (_, i) => orderOf(760 + i, `tents${i}`, `stoves${i}`, `lamps${i}`)),
];
const SHOP = shop([...CATALOGUE, LATE], [...TRAILS, ...CARTS, ...NEWEST]);

describe("an evaluation of a shop whose visitors follow trails", async () => {
  const evaluation = await evaluate(SHOP);

  it("learns from nine tenths of the visits and judges the rest", () => {
    expect(evaluation.dataCounts).toEqual({
      products: 91,
      products_met: 90,
      learned_visits: 599,
      learned_orders: 199,
      judged_visits: 67,
      judged_orders: 21,
    });
  });

  it("finds the next product of a trail among the first, where popularity does not", () => {
    expect(figureOf(evaluation, "next_item", "recommended")).toBeGreaterThan(0.9);
    expect(figureOf(evaluation, "next_item", "collaborative")).toBeGreaterThan(0.9);
    expect(figureOf(evaluation, "next_item", "collaborative", "reciprocal_rank_20")).toBeGreaterThan(0.45);
    expect(figureOf(evaluation, "next_item", "popularity")).toBeLessThan(0.5);
  });

  it("completes every order by carts, rules and the baselines of orders", () => {
    for (const ranking of ["recommended", "cart", "association_rules", "item_knn", "ease"]) {
      expect([ranking, figureOf(evaluation, "hidden_line", ranking)]).toEqual([ranking, 1]);
      expect([ranking, figureOf(evaluation, "rest_of_order", ranking, "recall_20")]).toEqual([ranking, 1]);
    }
    expect(figureOf(evaluation, "rest_of_order", "popularity", "recall_20")).toBeLessThan(0.6);
  });

  it("finds products without any interaction by their text alone", () => {
    expect(figureOf(evaluation, "cold_start", "alternative")).toBe(1);
    expect(figureOf(evaluation, "cold_start", "semantic")).toBe(1);
    expect(figureOf(evaluation, "cold_start", "collaborative")).toBe(0);
  });

  it("judges similar products by texts without the category", () => {
    expect(figureOf(evaluation, "similar_products", "semantic", "ndcg_10")).toBeGreaterThan(0.95);
    expect(figureOf(evaluation, "similar_products", "popularity", "ndcg_10")).toBeLessThan(0.7);
  });

  it("shows more products of the current category, and more substitutes, as alternatives than as recommended", () => {
    for (const figure of ["same_category_10", "substitutes_10"] as const) {
      const share = (list: string) => figureOf(evaluation, "substitutes", list, figure);
      expect(share("alternative")).toBeGreaterThan(share("recommended") + 0.3);
    }
  });

  it("is a message whose tasks, rankings and algorithms are all known, with every figure and the facts", () => {
    const message = create(EvaluationSchema, evaluationMessage(evaluation));
    const unknown = [
      ...message.tasks.filter(({ task }) => task === EvaluationTask.UNSPECIFIED),
      ...message.tasks.flatMap(({ rankings }) => rankings.filter(({ ranking }) => ranking === Ranking.UNSPECIFIED)),
      ...message.algorithms.filter(({ algorithm }) => algorithm === Algorithm.UNSPECIFIED),
      ...message.algorithms.filter(({ included, facts }) => included && facts.case === undefined),
    ];
    expect(unknown).toEqual([]);
    const next = message.tasks.find(({ task }) => task === EvaluationTask.NEXT_ITEM);
    const collaborative = next?.rankings.find(({ ranking }) => ranking === Ranking.COLLABORATIVE);
    expect(collaborative?.figures?.hitRate).toBe(figureOf(evaluation, "next_item", "collaborative"));
    const stored = evaluation.algorithms.find(({ name }) => name === "association_rules")?.facts;
    const rules = message.algorithms.find(({ algorithm }) => algorithm === Algorithm.ASSOCIATION_RULES)?.facts;
    expect(rules?.value).toMatchObject({ rules: BigInt(stored?.rules ?? 0) });
  });

  it("keeps what was wanted on the list of a visitor who uses its frame, and replaces two products of ten", () => {
    const figure = (uses: number, name: FigureName) => figureOf(evaluation, "used_frame", `uses_${uses}`, name);
    for (const uses of [0, 1, 3, 10]) expect([uses, figure(uses, "hit_rate_10")]).toEqual([uses, 1]);
    expect(figure(0, "repeated_10")).toBe(1);
    expect(figure(1, "repeated_10")).toBeCloseTo(0.8, 5);
  });

  it("reports how popular the shown products are, beside the wanted ones", () => {
    const { rankings = [] } = evaluation.tasks.find(({ name }) => name === "next_item") ?? {};
    const shown = (name: string) => figureOf(evaluation, "next_item", name, "shown_popularity");
    expect(shown("popularity")).toBeGreaterThan(shown("recommended"));
    expect(new Set(rankings.map(({ figures }) => figures.wanted_popularity)).size).toBe(1);
  });

  it("gives the same result for the same seed", async () => {
    expect(await evaluate(SHOP)).toEqual(evaluation);
  });
});

describe("an evaluation", () => {
  it("asks at most the configured number of questions, drawn by the seed", async () => {
    const [one, same, other] = await Promise.all([1, 1, 2].map((seed) => evaluate(SHOP, { maxQueries: 9, seed })));
    const next = one?.tasks.find(({ name }) => name === "next_item");
    expect([next?.queries, next?.possible]).toEqual([9, 70]);
    expect(same).toEqual(one);
    expect(other?.tasks).not.toEqual(one?.tasks);
  });

  it("reports its progress, also within a task of many questions", async () => {
    const told: { readonly stage: string; readonly progress: number }[] = [];
    const many = Array.from({ length: 120 }, (_, i) => trail(i % COUNT, 700 + i));
    await evaluate(shop(CATALOGUE, [...TRAILS, ...CARTS, ...many]), { onProgress: (progress) => told.push(progress) });
    const shares = told.map(({ progress }) => progress);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(told.filter(({ stage }) => stage === "next_item").length).toBeGreaterThan(1);
    expect(told.map(({ stage }) => stage)).toEqual(expect.arrayContaining(["split", "baselines", "substitutes"]));
  });

  it("gives the reason for each task without questions", async () => {
    const plain = [product("a"), product("b")];
    const { tasks } = await evaluate(
      shop(
        plain,
        Array.from({ length: 40 }, (_, n) => visit(n, "a")),
      ),
    );
    expect(tasks.map(({ name, queries }) => [name, queries])).toEqual(
      [
        "next_item",
        "next_new_item",
        "hidden_line",
        "rest_of_order",
        "next_order",
        "next_order_new",
        "used_frame",
        "similar_products",
        "also_view",
        "cold_start",
        "substitutes",
      ].map((name) => [name, 0]),
    );
    for (const { reason } of tasks) expect(reason).not.toBe("");
  });

  it("rejects an app with too few visits to split", async () => {
    const few = shop(CATALOGUE, TRAILS.slice(0, 20));
    const refusal = { kind: "precondition", message: "18 visits before the newest tenth, 20 are needed" };
    await expect(evaluate(few)).rejects.toMatchObject(refusal);
  });
});

describe("an evaluation of a shop whose customers come back", async () => {
  // Who ordered tent n orders stove n next, and some then tent n again; many others order lamp 0.
  const customers = Array.from({ length: 90 }, (_, i) => {
    const n = i % COUNT;
    const [first, second] = [[0, `tents${n}`] as const, [12, `stoves${n}`] as const];
    return i < 60 ? orders(i, first, second, [24, `tents${n}`]) : orders(i, first, second);
  });
  const returning = Array.from({ length: 15 }, (_, i) =>
    orders(100 + i, [0, `tents${i}`, "lamps1"], [12, "lamps0"], [430, `stoves${i}`, `tents${i}`]),
  );
  const lamps = Array.from({ length: 60 }, (_, i) => orderOf(200 + i, "lamps0", `lamps${1 + (i % 9)}`));
  const evaluation = await evaluate(shop(CATALOGUE, [...customers, ...returning, ...lamps]));
  const task = (name: string) => evaluation.tasks.find((found) => found.name === name);

  it("asks for the next orders of customers who ordered before the cut-off", () => {
    expect([task("next_order")?.queries, task("next_order_new")?.queries]).toEqual([15, 15]);
    expect(task("next_order")?.rankings.map(({ name, kind }) => `${kind} ${name}`)).toEqual(
      expect.arrayContaining(["answer recommended", "source cart", "baseline ease", "baseline bought_before"]),
    );
  });

  it("separates repeat purchases from first ones", () => {
    expect(figureOf(evaluation, "next_order", "bought_before")).toBe(1);
    const { figures } = task("next_order_new")?.rankings.find(({ name }) => name === "popularity") ?? {};
    expect(task("next_order_new")?.rankings.find(({ name }) => name === "bought_before")?.figures).toEqual(figures);
    expect(figures?.hit_rate_20).toBeLessThan(0.7);
  });

  it("reports how many orders are of known customers", () => {
    const [recommended] = task("next_order")?.rankings ?? [];
    expect(recommended?.byHistory.map(({ least, queries }) => [least, queries])).toEqual([[2, 15]]);
  });
});

it("an evaluation judges alternatives by products that the shop lists beside one, except unknown ones", async () => {
  const also = (id: string) => ({ also_view: id });
  const named = CATALOGUE.map((one, i) => {
    if (one.productId === "tents0") return { ...one, attributes: also("tents1, nobody | tents0") };
    return i % 2 === 0 ? one : { ...one, attributes: also("nobody") };
  });
  const { tasks } = await evaluate(shop(named, TRAILS));
  const found = tasks.find(({ name }) => name === "also_view");
  expect([found?.queries, found?.rankings.map(({ name }) => name)]).toEqual([
    1,
    ["alternative", "collaborative", "semantic", "popularity"],
  ]);
});
