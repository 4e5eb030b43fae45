import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { evaluationPicture } from "../../src/cli/evaluation-chart.js";
import { EvaluationSchema, EvaluationTask, Ranking, RankingKind } from "../../src/gen/aisle/v1/evaluation_pb.js";
import { Algorithm } from "../../src/gen/aisle/v1/model_pb.js";
import { OperationStage, OperationState } from "../../src/gen/aisle/v1/operation_pb.js";
import { formFault } from "../web/demo/xml.js";
import { type FakeServer, startFakeServer } from "./fake-server.js";
import { runCommand } from "./run-command.js";

const ranking = (which: Ranking, kind: RankingKind, hitRate: number) => ({
  ranking: which,
  kind,
  figures: { hitRate, reciprocalRank: hitRate / 2 },
  histories: [
    { minLength: 1, maxLength: 1, queryCount: 600, figures: { hitRate } },
    { minLength: 10, maxLength: 0, queryCount: 634, figures: { hitRate } },
  ],
});

const EVALUATION: MessageInitShape<typeof EvaluationSchema> = {
  cutOffTime: timestampFromMs(Date.UTC(2026, 0, 2)),
  seed: 7,
  dataCounts: { products: 50n, metProducts: 40n, learnedVisits: 9000n, judgedVisits: 1000n },
  tasks: [
    {
      task: EvaluationTask.NEXT_ITEM,
      queryCount: 1234,
      possibleQueryCount: 5000,
      rankings: [
        ranking(Ranking.RECOMMENDED, RankingKind.ANSWER, 0.5),
        ranking(Ranking.COLLABORATIVE, RankingKind.SOURCE, 0.48),
        ranking(Ranking.POPULARITY, RankingKind.BASELINE, 0),
      ],
    },
    { task: EvaluationTask.HIDDEN_LINE, reason: "no order of two known products since the cut-off" },
  ],
  algorithms: [{ algorithm: Algorithm.SEMANTIC, included: false, reason: "0 products with a text" }],
};

let server: FakeServer;
beforeEach(async () => {
  server = await startFakeServer();
  server.state.evaluation = [
    { progress: { stage: OperationStage.SPLIT, doneShare: 0 } },
    { progress: { stage: OperationStage.NEXT_ITEM, doneShare: 0.66 } },
    { state: OperationState.SUCCEEDED, result: { case: "evaluation", value: EVALUATION } },
  ];
});
afterEach(() => server.close());

const aisle = (...args: string[]) => runCommand(["evaluate", "--app", "shop", ...args, "--server", server.url]);

describe("aisle evaluate", () => {
  it("shows each stage and then a table for each task", async () => {
    expect(await aisle()).toEqual({
      exitCode: 0,
      stderr: "0 % split\n66 % next_item\n",
      stdout: `Learned from 9,000 visits and 0 orders before 2026-01-02 00:00:00Z,
judged on 1,000 visits and 0 orders since; 50 products, 40 met before
left out: semantic, 0 products with a text

Next product of a visit: 1,234 of 5,000 questions
                         HR@20  MRR@20
recommended    answer    0.500   0.250
collaborative  source    0.480   0.240
popularity     baseline  0.000   0.000

Order, one line hidden: no order of two known products since the cut-off
`,
    });
  });

  it("passes on the number of questions and the seed", async () => {
    await aisle("--queries", "100", "--seed", "3");
    await aisle();
    const asked = server.state.evaluateRequests.map(({ appId, maxQueries, seed }) => [appId, maxQueries, seed]);
    expect(asked).toEqual([
      ["shop", 100, 3],
      ["shop", 0, 0],
    ]);
  });

  it("prints JSON with every field, also those that are 0 or empty", async () => {
    const json: unknown = JSON.parse((await aisle("--json")).stdout);
    expect(json).toMatchObject({
      cutOffTime: "2026-01-02T00:00:00Z",
      seed: 7,
      dataCounts: { products: "50" },
      tasks: [
        {
          task: "EVALUATION_TASK_NEXT_ITEM",
          queryCount: 1234,
          possibleQueryCount: 5000,
          reason: "",
          rankings: [
            {
              ranking: "RANKING_RECOMMENDED",
              kind: "RANKING_KIND_ANSWER",
              figures: { hitRate: 0.5, reciprocalRank: 0.25 },
              histories: [
                { minLength: 1, maxLength: 1, queryCount: 600, figures: { hitRate: 0.5 } },
                { minLength: 10, maxLength: 0, queryCount: 634 },
              ],
            },
            {},
            { figures: { hitRate: 0 } },
          ],
        },
        { task: "EVALUATION_TASK_HIDDEN_LINE", queryCount: 0, possibleQueryCount: 0, rankings: [] },
      ],
    });
  });

  it("writes a picture", async () => {
    const folder = await mkdtemp(join(tmpdir(), "aisle-test-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, "quality.svg");
    expect((await aisle("--picture", path)).exitCode).toBe(0);
    expect(await readFile(path, "utf8")).toBe(evaluationPicture(create(EvaluationSchema, EVALUATION), "shop"));
  });

  it("fails when the stream ends without an evaluation", async () => {
    server.state.evaluation = [{ state: OperationState.CANCELLED }];
    const { exitCode, stderr } = await aisle();
    expect([exitCode, stderr]).toEqual([1, "error: Operation evaluation was cancelled\n"]);
  });
});

describe("the picture of an evaluation", () => {
  const picture = (evaluation: MessageInitShape<typeof EvaluationSchema>) =>
    evaluationPicture(create(EvaluationSchema, evaluation), "a <b> & c");

  it("is well-formed, loads nothing from outside, and escapes names", () => {
    const svg = picture(EVALUATION);
    expect(formFault(svg)).toBe("");
    expect(svg).toContain("a &lt;b&gt; &amp; c");
    expect(svg).not.toMatch(/NaN|undefined|Infinity|href|url\(|<script/);
  });

  it("keeps the labels of lines apart where all lines end at one height", () => {
    const which = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((value): Ranking => value);
    const names = which.map((value) => Ranking[value]?.toLowerCase());
    const rankings = which.map((value) => ranking(value, RankingKind.SOURCE, 0.3));
    const svg = picture({
      tasks: [{ task: EvaluationTask.NEXT_ITEM, queryCount: 9, possibleQueryCount: 9, rankings }],
    });
    const heights = names.map((name) =>
      Number(new RegExp(`<text class="small c\\d+" x="[\\d.]+" y="([\\d.]+)">${name}<`).exec(svg)?.[1]),
    );
    const sorted = [...heights].sort((a, b) => a - b);
    for (const [i, height] of sorted.entries()) if (i > 0) expect(height - sorted[i - 1]!).toBeGreaterThanOrEqual(15);
  });

  it("has a labelled panel of bars for each kind of task", () => {
    const bars = [
      [EvaluationTask.NEXT_ITEM, "HR@20, full colour MRR@20", ".500 / .111"],
      [EvaluationTask.REST_OF_ORDER, "HR@20, full colour Recall@20", ".500 / .222"],
      [EvaluationTask.NEXT_ORDER, "HR@20, full colour Recall@20", ".500 / .222"],
      [EvaluationTask.ALSO_VIEW, "NDCG@10", ".333"],
      [EvaluationTask.SUBSTITUTES, "same category, full colour priced alike", ".600 / .444"],
    ] as const;
    for (const [task, legend, value] of bars) {
      const figures = {
        hitRate: 0.5,
        reciprocalRank: 0.111,
        recall: 0.222,
        ndcg: 0.333,
        sameCategoryShare: 0.6,
        substituteShare: 0.444,
      };
      const rankings = [{ ranking: Ranking.ALTERNATIVE, kind: RankingKind.ANSWER, figures }];
      const svg = picture({ tasks: [{ task, queryCount: 9, possibleQueryCount: 9, rankings }] });
      expect(svg).toContain(`>${legend}; 9 questions<`);
      expect(svg).toContain(`>${value}<`);
    }
  });

  it("gives each ranking of an evaluation a colour of its own", () => {
    const names = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((value): Ranking => value);
    const rankings = names.map((value) => ranking(value, RankingKind.SOURCE, 0.3));
    const svg = picture({
      tasks: [{ task: EvaluationTask.NEXT_ITEM, queryCount: 9, possibleQueryCount: 9, rankings }],
    });
    const colours = svg.match(/\.c\d+\{fill:[^}]*\}/g) ?? [];
    for (const mode of [colours.slice(0, names.length), colours.slice(names.length)])
      expect(new Set(mode.map((rule) => rule.replace(/^.*\{/, ""))).size).toBe(names.length);
    expect(new Set(svg.match(/"small c\d+"/g)).size).toBe(names.length);
  });

  it("is drawn for an empty evaluation, too", () => {
    expect(formFault(picture({}))).toBe("");
  });
});
