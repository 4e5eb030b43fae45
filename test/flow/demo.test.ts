import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { talliedOf } from "../../src/domain/frame-tally.js";
import { OperationState } from "../../src/gen/aisle/v1/operation_pb.js";
import { demoProducts } from "../../src/server/demo/catalogue.js";
import { demoFrames } from "../../src/server/demo/frames.js";
import { demoEvents } from "../../src/server/demo/visits.js";
import {
  freePort,
  launchServer,
  rpcClients,
  type ServerProcess,
  sharedOwner,
  startServer,
  temporaryDirectory,
} from "../fixtures/server.js";

const run = promisify(execFile);
/** A learned order takes the demo some seconds more, and shows in nothing that is looked at here. */
const DEMO = ["--demo", "--no-learned-order"];
const shared = sharedOwner();
let directory: string;
let server: ServerProcess;
/** What a connection to the storefronts' port met before the ready line. */
const early = new Set<string>();

beforeAll(async () => {
  directory = await temporaryDirectory(shared.owner);
  const port = await freePort();
  const launched = launchServer({ directory, flags: [...DEMO, "--facade-port", `${port}`], owner: shared.owner });
  let isReady = false;
  const ready = launched.ready.finally(() => {
    isReady = true;
  });
  while (!isReady) {
    const outcome = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => "answered",
      () => "refused",
    );
    if (!launched.output().includes("aisle is ready")) early.add(outcome);
    await Promise.race([ready, sleep(50)]);
  }
  server = await ready;
});
afterAll(() => shared.release());

/** The printed curl line that calls an operation. */
async function curlLine(operation: string): Promise<string> {
  const line = () =>
    server
      .output()
      .split("\n")
      .find((one) => one.startsWith("curl ") && one.includes(`/${operation}`));
  await expect.poll(line).toBeDefined();
  return line() ?? "";
}

/** What a shell prints for a line as it was pasted. */
async function pasted(line: string): Promise<string> {
  return (await run("sh", ["-c", line])).stdout;
}

const modelIds = async (rpcUrl: string) =>
  (await rpcClients(rpcUrl).models.listModels({ appId: "demo" })).models.map((model) => model.modelId);

describe("aisle serve --demo on an empty store", () => {
  it("opens its port only when it reports that it is ready", () => {
    expect([...early]).toEqual(["refused"]);
  });

  it("prints three curl lines", async () => {
    await curlLine("recommend");
    expect(server.output().match(/^curl .*$/gm)).toHaveLength(3);
  });

  it("has a subscribed visitor, as the first curl line shows", async () => {
    expect(JSON.parse(await pasted(await curlLine("subscription_status")))).toEqual({
      identified: true,
      status: true,
      message: "Success",
    });
  });

  it("takes an event, as the second curl line shows", async () => {
    const answer = await pasted(await curlLine("trace"));
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/^x-service-event-id: [0-9a-f-]{36}\r$/m);
  });

  it("recommends complements and alternatives with all their fields, as the third curl line shows", async () => {
    const product = {
      productId: expect.stringMatching(/./),
      title: expect.stringMatching(/./),
      imageUrl: expect.stringMatching(`^${server.facadeUrl}/demo/`),
      url: expect.stringMatching(`^${server.facadeUrl}/demo/`),
      price: expect.stringMatching(/^\d+\.\d\d$/),
      categoryId: expect.stringMatching(/./),
    };
    const answer = JSON.parse(await pasted(await curlLine("recommend")));
    expect(Object.keys(answer).sort()).toEqual(["alternative", "recommended", "trackerProduct", "version"]);
    expect(answer.trackerProduct).toEqual(product);
    expect(answer.recommended).toEqual(Array.from({ length: 10 }, () => product));
    expect(answer.alternative).toEqual(Array.from({ length: 10 }, () => product));
    const [picture, page] = [answer.recommended[0].imageUrl, answer.recommended[0].url];
    expect((await fetch(picture)).headers.get("content-type")).toMatch(/^image\//);
    expect((await fetch(page)).status).toBe(200);
  });

  it("shows the shop under /demo/", async () => {
    const page = await fetch(`${server.facadeUrl}/demo/`);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, expect.stringMatching(/^text\/html/)]);
    expect(await page.text()).toContain("Larkfell");
    expect((await fetch(`${server.facadeUrl}/demo/shop.js`)).headers.get("content-type")).toMatch(/^text\/javascript/);
  });

  it("has frames whose experiments have results", async () => {
    const { frames } = await rpcClients(server.rpcUrl).apps.getFrameReport({ appId: "demo" });
    const variants = frames
      .filter(({ frameId }) => frameId !== "default") // only once it has been asked for
      .map(({ frameId, variants }) => [frameId, ...variants.map(({ variant }) => variant)]);
    expect(variants).toEqual([
      ["cart", "ten", "six"],
      ["home", "as-before", "more-variety"],
      ["product", "as-before", "viewed-too"],
    ]);
    expect(frames.find(({ frameId }) => frameId === "home")?.variants[1]?.clickRateDifference?.low).toBeGreaterThan(0);
  });

  it("writes only the curl lines, its own messages and that it has started", () => {
    const strange = server
      .output()
      .trimEnd()
      .split("\n")
      .filter(
        (line) =>
          !/^(aisle: making the demo|aisle: training it|aisle is ready|Open http|curl )|"msg":"started"\}$/.test(line),
      );
    expect(strange).toEqual([]);
  });
});

describe("the next start of a demo", () => {
  it("does not train again, and writes the products again for another public URL", async () => {
    const before = await modelIds(server.rpcUrl);
    expect(before).toHaveLength(1);
    expect(await server.end("SIGTERM")).toBe(0);

    const publicUrl = "https://demo.shop.example";
    const again = await startServer({ directory, flags: [...DEMO, "--public-url", publicUrl] });
    expect(again.output()).not.toContain("making the demo shop");
    expect(again.output()).toContain(`aisle: the pages of the demo shop are at ${publicUrl} now`);
    expect(await modelIds(again.rpcUrl)).toEqual(before);
    const { products } = await rpcClients(again.rpcUrl).catalog.listProducts({ appId: "demo", pageSize: 1000 });
    expect(products).toHaveLength(demoProducts({ baseUrl: publicUrl }).length);
    const elsewhere = products.filter(({ url, imageUrl }) => !(url + imageUrl).includes(publicUrl));
    expect(elsewhere.map((product) => product.productId)).toEqual([]);
    await again.end("SIGTERM");
  });

  it("serves its model although SIGTERM stopped a training", async () => {
    const cut = await startServer({ directory, flags: [...DEMO] });
    const before = await modelIds(cut.rpcUrl);
    const training = async () => {
      const { operation } = await rpcClients(cut.rpcUrl).models.trainModel({ appId: "demo" });
      return { operationId: operation?.operationId ?? "", code: await cut.end("SIGTERM") };
    };
    const { operationId, code } = await training();
    expect(code).toBe(0);
    const again = await startServer({ directory, flags: [...DEMO] });
    const { operation } = await rpcClients(again.rpcUrl).operations.getOperation({ appId: "demo", operationId });
    expect(operation).toMatchObject({ state: OperationState.FAILED, result: { value: { code: Code.Unavailable } } });
    expect(await modelIds(again.rpcUrl)).toEqual(before);
  });
});

describe("an interrupted set-up of the demo", () => {
  it("is completed by the next start, with every visit and every result once", async () => {
    const place = await temporaryDirectory();
    const cut = launchServer({ directory: place, flags: [...DEMO] });
    const size = () =>
      stat(join(place, "data.mdb")).then(
        (found) => found.size,
        () => 0,
      );
    await expect.poll(size, { interval: 5, timeout: 20_000 }).toBeGreaterThan(4_000_000);
    await cut.end("SIGKILL");
    expect(cut.output()).not.toContain("aisle is ready");

    const again = await startServer({ directory: place, flags: [...DEMO] });
    const { apps, events, models } = rpcClients(again.rpcUrl);
    const { app } = await apps.getApp({ appId: "demo" });
    let stored = 0;
    for (let pageToken = "", more = true; more; more = pageToken !== "") {
      const page = await events.listEvents({ appId: "demo", pageSize: 1000, pageToken });
      stored += page.events.length;
      pageToken = page.nextPageToken;
    }
    const until = app?.createTime === undefined ? 0 : timestampMs(app.createTime);
    expect(stored).toBe(demoEvents(until).length);
    const { versions, tallies } = demoFrames(until);
    const { frames } = await apps.getFrameReport({ appId: "demo" });
    const counted = frames.reduce((sum, { total }) => sum + (total?.visitorCount ?? 0), 0);
    const ofFrames = [...tallies].filter(([key]) => talliedOf(key).variant === "");
    expect(counted).toBe(ofFrames.reduce((sum, [, { visitors }]) => sum + visitors, 0));
    const { frameConfigurations } = await apps.listFrameConfigurations({ appId: "demo" });
    expect(frameConfigurations.reduce((sum, { version }) => sum + version, 0)).toBe(versions.length);
    expect((await models.getModel({ appId: "demo" })).model?.active).toBe(true);
  });
});
