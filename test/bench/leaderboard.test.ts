import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { json } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { fitBaseline } from "../../bench/leaderboard/baselines.js";
import { type DataSet, openDataSet, type Question } from "../../bench/leaderboard/data-set.js";
import { Judge } from "../../bench/leaderboard/judge.js";
import { tableOf } from "../../bench/leaderboard/report.js";
import { keptIn, runServer } from "../../bench/leaderboard/run.js";
import { speakTo } from "../../bench/leaderboard/servers.js";

const EVERYTHING = { size: Number.POSITIVE_INFINITY, seed: 1 };

/** A folder as a user has one, and what the board makes of it. */
async function dataSetOf(files: Readonly<Record<string, readonly string[]>>): Promise<DataSet> {
  const folder = await mkdtemp(join(tmpdir(), "aisle-test-board-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, lines] of Object.entries(files))
    await writeFile(join(folder, `${name}.csv.gz`), gzipSync(lines.join("\n")));
  return openDataSet(folder, folder, EVERYTHING);
}

const VISITS = {
  train: ["session,position,item", "0,0,cup", "0,1,plate", "1,0,cup", "1,1,plate", "2,0,fork", "2,1,cup"],
  dev: ["session,position,item", "3,0,fork", "3,1,cup", "3,2,fork", "4,0,cup", "4,1,unknown"],
};
const ORDERS = {
  train: ["invoice,ts,customer,item", "1,2025-01-01T10:00:00Z,ann,cup", "1,2025-01-01T10:00:00Z,ann,plate"],
  dev: ["invoice,ts,customer,item", "2,2025-02-01T10:00:00Z,ann,cup", "2,2025-02-01T10:00:00Z,ann,plate"],
};

const asked = (dataSet: DataSet) =>
  dataSet.tasks.flatMap(({ readings, questions }) =>
    questions.map(({ call, wanted }) => [
      readings[0]?.name,
      call.history.map(({ type, product }) => `${type} ${product}`),
      [...wanted],
    ]),
  );

describe("a data set of the leaderboard", () => {
  it("asks for each step of a visit that train knows, from those before it", async () => {
    expect(asked(await dataSetOf(VISITS))).toEqual([
      ["next_item", ["product_view fork"], ["cup"]],
      ["next_item", ["product_view fork", "product_view cup"], ["fork"]],
    ]);
  });

  it("asks for a hidden line, the rest of an order and a customer's next one", async () => {
    const questions = asked(await dataSetOf(ORDERS));
    expect(questions.map(([task]) => task)).toEqual(["hidden_line", "rest_of_order", "next_order_new", "next_order"]);
    expect(questions[1]).toEqual(["rest_of_order", ["product_view cup"], ["plate"]]);
    expect(questions[3]).toEqual(["next_order", ["order cup", "order plate"], ["cup", "plate"]]);
  });
});

describe("the judge of the leaderboard", () => {
  const question = (unit: string): Question => {
    const history = [{ type: "product_view", product: "cup", time: "" }] as const;
    return { unit, call: { history, current: "cup", repeats: true, count: 60 }, wanted: new Set(["plate"]) };
  };
  const judge = new Judge(true);
  beforeAll(() => {
    for (let unit = 0; unit < 50; unit++) judge.take(unit % 2 ? ["cup", "plate"] : ["fork"], question(String(unit)));
  });

  it("leaves products of the visit out where only new ones are judged", () => {
    expect(judge.figures().reciprocalRank.value).toBe(0.5);
  });

  it("gives an interval around the value, the same each time", () => {
    const { hitRate } = judge.figures();
    expect(hitRate.low).toBeGreaterThan(0.3);
    expect(hitRate.low).toBeLessThan(0.5);
    expect(hitRate.high).toBeGreaterThan(0.5);
    expect(hitRate.high).toBeLessThan(0.7);
    expect(judge.figures().hitRate).toEqual(hitRate);
  });

  it("finds no server ahead of itself", () => {
    expect(judge.lead(judge, "hitRate")).toEqual({ value: 0, low: 0, high: 0 });
  });
});

describe("a server of the leaderboard", () => {
  it("is told of the data and asked by the documented calls, whoever wrote it", async () => {
    const paths: string[] = [];
    const server = createServer(async (request, response) => {
      paths.push(request.url ?? "");
      await json(request);
      response.end(JSON.stringify(request.url === "/train" ? {} : { products: ["cup", "fork"] }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const dataSet = await dataSetOf(VISITS);
    const result = await runServer("Theirs", async () => speakTo(`http://127.0.0.1:${port}`), dataSet, dataSet.tasks);
    expect(paths).toEqual(["/train", "/recommend", "/recommend"]);
    expect(result.rows.map(({ task, judge }) => [task, judge.figures().reciprocalRank.value])).toEqual([
      ["next_item", 0.75],
      ["next_new_item", 1],
    ]);
    expect(tableOf(dataSet, [result])).toContain("Theirs");
    const file = join(dirname(dataSet.training.events), "kept.json");
    const kept = [await keptIn(file, async () => result), await keptIn(file, () => Promise.reject(new Error("asked")))];
    expect(kept.map((each) => tableOf(dataSet, [each]))).toEqual(Array(2).fill(tableOf(dataSet, [result])));
  });

  it("that is a baseline answers products that train shows together", async () => {
    const { training } = await dataSetOf(VISITS);
    const recommend = await fitBaseline("item_knn", training.events);
    const history = [{ type: "product_view", product: "plate", time: "" }] as const;
    expect(recommend({ history, current: "plate", repeats: false, count: 5 })).toEqual(["cup"]);
  });
});
