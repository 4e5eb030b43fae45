import { Readable } from "node:stream";
import { create } from "@bufbuild/protobuf";
import { durationFromMs, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AppSchema } from "../../src/gen/aisle/v1/app_pb.js";
import { PageKind } from "../../src/gen/aisle/v1/frame_configuration_pb.js";
import { InteractionType } from "../../src/gen/aisle/v1/interaction_pb.js";
import { Algorithm } from "../../src/gen/aisle/v1/model_pb.js";
import { OperationStage, OperationState } from "../../src/gen/aisle/v1/operation_pb.js";
import { RecommendationSource } from "../../src/gen/aisle/v1/recommendation_reason_pb.js";
import { SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { type FakeServer, startFakeServer } from "./fake-server.js";
import { runCommand } from "./run-command.js";

let server: FakeServer;
beforeEach(async () => {
  server = await startFakeServer();
});
afterEach(() => server.close());

const aisle = (...args: string[]) => runCommand([...args, "--server", server.url]);

const rate = { value: 0.25, low: 0.2, high: 0.312 };
const results = {
  exposureCount: 2000n,
  visitorCount: 1000,
  clickRate: rate,
  orderRate: rate,
  salesAfterClick: [{ orderCount: 2, revenue: { amount: "120.50", currency: "EUR" } }],
  salesWithoutClick: [{ orderCount: 1 }],
};
const sideReport = {
  frameId: "side",
  total: results,
  days: [{ day: "2026-11-20", results }],
  variants: [
    { variant: "plain", results },
    { variant: "loud", clickRateDifference: { value: 0.05, low: -0.01, high: 0.11 } },
  ],
};

describe("aisle app", () => {
  it("makes an app with a name and origins", async () => {
    const args = ["app", "create", "s2", "--name", "My shop", "--origin", "https://a.example"];
    const ended = await aisle(...args, "--origin", "https://b.example");
    expect(ended).toEqual({ exitCode: 0, stdout: "App s2 is made\n", stderr: "" });
    expect(server.state.apps[0]).toMatchObject({
      appId: "s2",
      displayName: "My shop",
      allowedOrigins: ["https://a.example", "https://b.example"],
    });
  });

  it("says in one line that an app exists already", async () => {
    expect(await aisle("app", "create", "shop")).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "error: The app exists already\n",
    });
  });

  it("lists all pages of apps as a table", async () => {
    const createdAt = timestampFromMs(Date.UTC(2026, 0, 2, 3, 4, 5));
    server.state.apps.push(
      create(AppSchema, { appId: "a", displayName: "First", createTime: createdAt }),
      create(AppSchema, { appId: "bb", allowedOrigins: ["https://b.example"] }),
    );
    expect((await aisle("app", "list")).stdout).toBe(
      [
        "id  name   made                  origins",
        "a   First  2026-01-02 03:04:05Z  any",
        "bb                               https://b.example",
        "",
      ].join("\n"),
    );
  });

  it("lists apps as JSON", async () => {
    server.state.apps.push(create(AppSchema, { appId: "a" }));
    expect(JSON.parse((await aisle("app", "list", "--json")).stdout)).toEqual([{ appId: "a" }]);
  });
});

describe("aisle frame", () => {
  it("sets a frame and lists it", async () => {
    const args =
      "frame set --app shop --id side --recommended 20 --alternative 0 --include-viewed --diversity .25".split(" ");
    expect((await aisle(...args)).stdout).toBe("Frame side shows 20 recommended and 0 alternative products\n");
    expect(server.state.frames[0]).toMatchObject({
      frameId: "side",
      recommendedCount: 20,
      alternativeCount: 0,
      includeViewed: true,
      includeBought: false,
      diversity: 0.25,
    });
    const { stdout } = await aisle("frame", "list", "--app", "shop");
    expect(stdout.split("\n")[1]).toBe("side           20            0  yes         no               0.25");
  });
});

describe("aisle frame set", () => {
  it("sets a frame by options, and shows it", async () => {
    const args = [
      "frame set --app shop --id side --recommended 5 --alternative 0 --page cart --source rules=2 --source cart",
      "--rebuy-after 30 --no-rotation --no-fallback --out-of-stock --pin a,b --ban c --variant calm --variant loud=2",
    ].join(" ");
    await aisle(...args.split(" "));
    expect(server.state.frames[0]).toMatchObject({
      pageKind: PageKind.CART,
      sources: [
        { source: RecommendationSource.ASSOCIATION_RULES, weight: 2 },
        { source: RecommendationSource.CART, weight: 1 },
      ],
      rebuyDelay: { seconds: 30n * 86_400n },
      rotation: false,
      fallback: false,
      inStockOnly: false,
      pinnedProductIds: ["a", "b"],
      bannedProductIds: ["c"],
      variants: [
        { name: "calm", weight: 1 },
        { name: "loud", weight: 2 },
      ],
    });
    const { stdout } = await aisle("frame", "show", "--app", "shop", "--id", "side");
    expect(stdout.split("\n")).toEqual([
      "frame             side",
      "page              cart",
      "recommended       5",
      "alternative       0",
      "sources           rules 2, cart 1",
      "diversity         0",
      "viewed too        no",
      "bought too        after 30 days",
      "out of stock too  yes",
      "rotation          no",
      "fallback          no",
      "pinned            a, b",
      "banned            c",
      "variant calm      weight 1: as the frame",
      "variant loud      weight 2: as the frame",
      "",
    ]);
  });

  it("sets how much of a list is replaced and for how long", async () => {
    const set = (...more: string[]) =>
      aisle(..."frame set --app shop --id side --recommended 5 --alternative 0".split(" "), ...more);
    await set("--rotation-rate", "0.3", "--rotation-days", "1.5");
    expect(server.state.frames[0]).toMatchObject({ rotationRate: 0.3, rotationPeriod: { seconds: 129_600n } });
    const { stdout } = await aisle("frame", "show", "--app", "shop", "--id", "side");
    expect(stdout).toMatch(/^rotation {10}0\.3 of a list, for 1\.5 days$/m);
    for (const refused of [
      ["--rotation-rate", "1.1"],
      ["--rotation-days", "0"],
      ["--rotation-days", "8"],
    ])
      expect((await set(...refused)).exitCode).toBe(2);
  });

  it("fills a frame with a ready list of some days", async () => {
    const set = (...more: string[]) =>
      aisle(..."frame set --app shop --id side --recommended 5 --alternative 0".split(" "), ...more);
    await set("--list", "bestsellers=7");
    const { stdout } = await aisle("frame", "show", "--app", "shop", "--id", "side");
    expect(stdout).toMatch(/^list {14}bestsellers of 7 days$/m);
    for (const refused of ["best", "bestsellers=0", "bestsellers=x"])
      expect((await set("--list", refused)).exitCode).toBe(2);
  });

  it("sets a merchant's rules of a frame", async () => {
    const set = (...more: string[]) =>
      aisle(..."frame set --app shop --id side --recommended 5 --alternative 0".split(" "), ...more);
    const boosts = ["brand:Acme=2", "attribute:Colour:red=0.5", "margin:0.3..=1.5", "stock:..5=0.5", "age:..14=3"];
    const comparisons = ["same-category", "dearer", "same:line"];
    await set(
      ...boosts.flatMap((boost) => ["--boost", boost]),
      ...comparisons.flatMap((rule) => ["--beside", rule]),
      "--max-per-brand",
      "2",
    );
    const { stdout } = await aisle("frame", "show", "--app", "shop", "--id", "side");
    expect(stdout).toContain(
      "boosts            brand:Acme x2, Colour red x0.5, margin 0.3.. x1.5, stock ..5 x0.5, age ..14 days x3\n" +
        "beside            same-category, dearer, same line\n" +
        "most per brand    2\n",
    );
    for (const refused of [
      ["--boost", "brand:Acme"],
      ["--boost", "stock:..x=2"],
      ["--beside", "nicer"],
    ])
      expect((await set(...refused)).exitCode).toBe(2);
  });

  it("keeps out-of-stock products away from every request, or leaves that to the request", async () => {
    const set = (id: string, ...more: string[]) =>
      aisle(...`frame set --app shop --id ${id} --recommended 5 --alternative 0`.split(" "), ...more);
    const shown = async (id: string) => (await aisle("frame", "show", "--app", "shop", "--id", id)).stdout;
    await set("strict", "--in-stock-only");
    expect(server.state.frames[0]?.inStockOnly).toBe(true);
    expect(await shown("strict")).toMatch(/^out of stock too {2}no$/m);
    await set("side");
    expect(server.state.frames[1]?.inStockOnly).toBeUndefined();
    expect(await shown("side")).toMatch(/^out of stock too {2}where a filter says so$/m);
    expect((await set("side", "--in-stock-only", "--out-of-stock")).exitCode).toBe(2);
  });

  it("sets a frame from the JSON that it shows", async () => {
    const frame = {
      frameId: "side",
      recommendedCount: 5,
      rotation: false,
      variants: [
        { name: "calm", weight: 1, diversity: 0.5, sourceChoice: {} },
        { name: "loud", weight: 1, filter: { excludedGroupIds: ["sale"] }, pinChoice: { productIds: ["a", "b"] } },
      ],
    };
    const set = (json: unknown, ...more: string[]) =>
      runCommand(["frame", "set", "--app", "shop", "--file", "-", ...more], {
        env: { AISLE_SERVER: server.url },
        stdin: Readable.from([Buffer.from(JSON.stringify(json))]),
      });
    expect((await set(frame)).stdout).toBe("Frame side shows 5 recommended and 0 alternative products\n");
    const { stdout } = await aisle("frame", "show", "--app", "shop", "--id", "side", "--json");
    expect(JSON.parse(stdout)).toEqual(frame);
    const lines = (await aisle("frame", "show", "--app", "shop", "--id", "side")).stdout;
    expect(lines).toContain("variant loud      weight 1: filter none of sale, pinned a, b\n");
    await set(frame, "--id", "other");
    expect(server.state.frames[1]?.frameId).toBe("other");
    expect(await set({ frameID: "x" })).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("frameID") });
    expect(await set("text")).toMatchObject({ exitCode: 2 });
  });

  it.each([
    ["--id side --recommended 5", "--id, --recommended and --alternative are required, or --file"],
    ["--id side --recommended 5 --alternative 1 --source magic", "sources are rules, semantic"],
    ["--id side --recommended 5 --alternative 1 --source cart=x", "A source, and =weight, is accepted"],
    ["--id side --recommended 5 --alternative 1 --page moon", "One of home, category, product, cart, order"],
    ["--id side --recommended 5 --alternative 1 --variant a+b", "A name of letters, digits, _ or -"],
    ["--id side --recommended 5 --alternative 1 --rebuy-after 4000", "from 0 to 3650"],
  ])("ends with 2 for %s", async (args, text) => {
    const { exitCode, stderr } = await aisle("frame", "set", "--app", "shop", ...args.split(" "));
    expect(exitCode).toBe(2);
    expect(stderr).toContain(text);
  });
});

describe("aisle frame history, rollback, report and remove", () => {
  const at = (minute: number) => timestampFromMs(Date.UTC(2026, 0, 2, 3, minute, 0));
  const first = { frameId: "side", version: 1, etag: "1", recommendedCount: 5, updateTime: at(1) };
  const second = { ...first, version: 2, etag: "2", recommendedCount: 6, title: "Side", updateTime: at(2) };

  it("lists the changes of each version, newest first", async () => {
    server.state.frameVersions = [
      { frameConfiguration: { ...first, version: 4, etag: "4", updateTime: at(4) } },
      { frameConfiguration: { ...second, version: 3, updateTime: at(3) }, deleted: true },
      { frameConfiguration: second },
      { frameConfiguration: first },
    ];
    const { stdout } = await aisle("frame", "history", "--app", "shop", "--id", "side");
    expect(stdout.split("\n").map((line) => line.replace(/ {2,}/g, "  ").trim())).toEqual([
      "version  written  what",
      "4  2026-01-02 03:04:00Z  made again",
      "3  2026-01-02 03:03:00Z  removed",
      "2  2026-01-02 03:02:00Z  title: Side; recommended: 6",
      "1  2026-01-02 03:01:00Z",
      "",
    ]);
  });

  it("writes an earlier version again, only over the newest one", async () => {
    server.state.frameVersions = [{ frameConfiguration: second }, { frameConfiguration: first }];
    const rollback = (to: string) => aisle("frame", "rollback", "--app", "shop", "--id", "side", "--to", to);
    expect((await rollback("1")).exitCode).toBe(0);
    expect(server.state.frames.at(-1)).toMatchObject({ recommendedCount: 5, title: "" });
    expect(server.state.etag).toBe("2");
    expect(await rollback("7")).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("no version 7") });
    server.state.frameVersions.unshift({ frameConfiguration: { ...second, version: 3 }, deleted: true });
    expect((await rollback("2")).exitCode).toBe(0);
    expect(server.state.etag).toBe("");
    expect((await rollback("3")).exitCode).toBe(1);
  });

  it("prints the results of a frame with intervals, and differences from the first variant", async () => {
    server.state.frameReports = [sideReport];
    const { stdout } = await aisle("frame", "report", "--app", "shop", "--id", "side");
    expect(stdout).toContain("2026-11-20    2,000     1,000  25.0 % (20.0 to 31.2)");
    expect(stdout).toContain("2: 120.50 EUR");
    expect(stdout).toContain("1: payment not known");
    expect(stdout).toContain("+5.0 (-1.0 to +11.0)");
  });

  it("prints the results of all frames, and as CSV a line for each frame and day", async () => {
    server.state.frameReports = [sideReport, { frameId: "top", total: { visitorCount: 7 } }];
    const { stdout } = await aisle("frame", "report", "--app", "shop");
    expect(stdout.split("\n")[1]).toMatch(/^side +2,000 +1,000/);
    expect(stdout.split("\n").at(-2)).toMatch(/^top +0 +7/);
    const csv = await aisle("frame", "report", "--app", "shop", "--csv");
    const [head = "", line = "", end] = csv.stdout.split("\r\n");
    const cells = Object.fromEntries(head.split(",").map((name, at) => [name, line.split(",")[at]]));
    expect(cells).toMatchObject({ frame: "side", day: "2026-11-20", visitors: "1000", click_rate_low: "0.2000" });
    expect(cells).toMatchObject({
      orders_after_click: "2",
      orders_without_click: "1",
      revenue_after_click_EUR: "120.50",
    });
    expect(end).toBe("");
  });

  it("removes a frame", async () => {
    await aisle("frame", "set", "--app", "shop", "--id", "side", "--recommended", "1", "--alternative", "0");
    expect((await aisle("frame", "remove", "--app", "shop", "--id", "side")).stdout).toBe("Frame side is removed\n");
    expect(server.state.frames).toEqual([]);
  });
});

describe("aisle status", () => {
  it("looks up a fingerprint id and prints the state in words", async () => {
    server.state.status = { identified: true, emailState: SubscriptionState.UNSUBSCRIBED };
    const { stdout } = await aisle("status", "--app", "shop", "--fpcid", "f1");
    expect(server.state.statusRequests[0]?.visitor?.fingerprintId).toBe("f1");
    expect(stdout).toBe("identified  newsletter    text messages\nyes         unsubscribed  unknown\n");
  });

  it("prints JSON in the words of the REST interface", async () => {
    server.state.status = { identified: false, emailState: SubscriptionState.UNKNOWN };
    const { stdout } = await aisle("status", "--app", "shop", "--fpcid", "f1", "--json");
    expect(JSON.parse(stdout)).toEqual({ identified: false, status: null, sms: null });
  });
});

describe("aisle train", () => {
  it("shows each stage once and then the model", async () => {
    server.state.training = [
      { progress: { stage: OperationStage.ASSOCIATION_RULES, doneShare: 0.1 } },
      { progress: { stage: OperationStage.ASSOCIATION_RULES, doneShare: 0.3 } },
      { progress: { stage: OperationStage.SEMANTIC, doneShare: 0.5 } },
      {
        state: OperationState.SUCCEEDED,
        result: {
          case: "model",
          value: {
            modelId: "m1",
            version: "2026010203",
            active: true,
            trainingDuration: durationFromMs(12_345),
            sizeBytes: 2_500_000n,
            cutOffTime: timestampFromMs(Date.UTC(2026, 0, 2)),
            dataCounts: { products: 1234n, orders: 7n },
            algorithms: [
              { algorithm: Algorithm.SEMANTIC, included: true },
              { algorithm: Algorithm.ASSOCIATION_RULES, included: false, reason: "fewer than 10 orders" },
            ],
          },
        },
      },
    ];
    const { stdout, stderr, exitCode } = await aisle("train", "--app", "shop");
    expect(exitCode).toBe(0);
    expect(stderr).toBe("10 % association_rules\n50 % semantic\n");
    expect(stdout).toBe(`Model m1 serves as version 2026010203
  trained in 12.3 s, 2.5 MB, up to 2026-01-02 00:00:00Z
  learned from 7 orders, 1,234 products
  semantic: included
  association_rules: left out: fewer than 10 orders
`);
  });

  it("fails with the error of its operation, and when the stream ends before it", async () => {
    const semantic = { progress: { stage: OperationStage.SEMANTIC, doneShare: 0.5 } };
    server.state.training = [{ ...semantic, state: OperationState.RUNNING }];
    const cutOff = await aisle("train", "--app", "shop");
    expect(cutOff.exitCode).toBe(1);
    expect(cutOff.stderr).toContain("error: Operation training has not ended; it goes on");
    const error = { code: 9, message: "The app has no products to learn about" };
    server.state.training = [{ state: OperationState.FAILED, result: { case: "error", value: error } }];
    const failed = await aisle("train", "--app", "shop");
    expect([failed.exitCode, failed.stderr]).toEqual([1, "error: The app has no products to learn about\n"]);
  });

  it("with --no-wait prints the id of the operation and ends", async () => {
    expect(await aisle("train", "--app", "shop", "--no-wait")).toEqual({
      exitCode: 0,
      stdout: "training\n",
      stderr: "",
    });
  });
});

describe("aisle recommend", () => {
  beforeEach(() => {
    server.state.answer = {
      response: {
        version: "2026010203",
        modelId: "m1",
        frameId: "default",
        currentProduct: { productId: "1", title: "Lamp" },
        missingIds: ["99"],
        recommended: [
          {
            productId: "2",
            title: "Bulb\u001b[31m red",
            price: { amount: "3.50", currency: "EUR" },
            categoryId: "Light",
          },
          { productId: "30", title: "Cable", categoryId: "Light" },
        ],
      },
      recommendedReasons: [
        {
          productId: "2",
          sources: [
            {
              source: RecommendationSource.ASSOCIATION_RULES,
              rank: 1,
              causeProductIds: ["1"],
              counts: { lift: 2.34567, pairCount: 12 },
            },
            { source: RecommendationSource.POPULARITY, rank: 4, score: 2 },
          ],
        },
      ],
    };
  });

  it("shows both lists as tables with titles, without control characters", async () => {
    const { stdout } = await aisle("recommend", "--app", "shop", "--current", "1");
    expect(stdout).toBe(
      `For 1 Lamp
Version 2026010203, frame default, model m1
Unknown and ignored: 99

Recommended (complementary):
rank  id  title             price  category
   1  2   Bulb [31m red  3.50 EUR  Light
   2  30  Cable                    Light

Alternative (similar): none
`,
    );
  });

  it("explains each product, one source a line, a rule with both of its sides", async () => {
    const { stdout } = await aisle("recommend", "--app", "shop", "--current", "1", "--why");
    expect(stdout).toContain("bought together #1, 1 -> 2, lift 2.35, pair_count 12\n");
    expect(stdout).toContain("popular #4\n");
  });

  it("accepts the former name of --why, which help does not show", async () => {
    const args = ["recommend", "--app", "shop", "--current", "1"];
    expect(await aisle(...args, "--explain")).toEqual(await aisle(...args, "--why"));
    const { stdout: help } = await runCommand(["recommend", "--help"]);
    expect(help).toContain("--why");
    expect(help).not.toContain("--explain");
  });

  it("sends orders, then views, then the cart, each in the order given", async () => {
    const args = "--current 1,2 --viewed 3,4 --viewed 5 --cart 6 --bought 7 --limit 3 --frame side --fpcid f --group g";
    await aisle("recommend", "--app", "shop", ...args.split(" "), "--exclude", "8");
    const [request] = server.state.recommendRequests;
    expect(request).toMatchObject({
      currentProductIds: ["1", "2"],
      frameId: "side",
      recommendedCount: 3,
      alternativeCount: 3,
      visitor: { fingerprintId: "f" },
      filter: { anyGroupIds: ["g"], excludedProductIds: ["8"] },
    });
    const steps = request?.interactions ?? [];
    expect(steps.map((step) => [step.productId, step.type])).toEqual([
      ["7", InteractionType.ORDER],
      ["3", InteractionType.PRODUCT_VIEW],
      ["4", InteractionType.PRODUCT_VIEW],
      ["5", InteractionType.PRODUCT_VIEW],
      ["6", InteractionType.ADD_TO_CART],
    ]);
    const times = steps.map((step) => (step.interactionTime ? timestampMs(step.interactionTime) : 0));
    expect(times).toEqual([5, 4, 3, 2, 1].map((ago) => Date.UTC(2026, 0, 1) - ago * 1000));
  });

  it("asks for all frames of a page together, and shows the variant of each", async () => {
    const { stdout } = await aisle("recommend", "--app", "shop", "--frame", "top", "--frame", "side");
    expect(server.state.recommendRequests[0]).toMatchObject({ appId: "shop", frameId: "" });
    expect(stdout.match(/frame .*(?=,)/g)).toEqual(["frame top (variant calm)", "frame side (variant calm)"]);
    const { exitCode, stderr } = await aisle("recommend", "--app", "shop", "--frame", "a", "--frame", "b", "--why");
    expect([exitCode, stderr]).toEqual([2, "error: --why explains one frame at a time\n"]);
  });

  it("leaves the list lengths to the frame when no limit is given", async () => {
    await aisle("recommend", "--app", "shop");
    expect(server.state.recommendRequests[0]?.recommendedCount).toBeUndefined();
  });

  it("prints the answer as JSON", async () => {
    const { stdout } = await aisle("recommend", "--app", "shop", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ version: "2026010203", recommended: [{ productId: "2" }, {}] });
  });
});
