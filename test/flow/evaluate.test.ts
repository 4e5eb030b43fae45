import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  rpcClients,
  runAisle,
  type ServerProcess,
  sharedOwner,
  startServer,
  temporaryDirectory,
} from "../fixtures/server.js";
import { makeShop } from "../fixtures/small-shop.js";
import { formFault } from "../web/demo/xml.js";

const shared = sharedOwner();
let server: ServerProcess;
let folder: string;

beforeAll(async () => {
  folder = await temporaryDirectory(shared.owner);
  server = await startServer({ directory: join(folder, "store"), owner: shared.owner });
  await makeShop(rpcClients(server.rpcUrl), "shop");
});
afterAll(() => shared.release());

const aisle = (...args: string[]) => runAisle(args, { cwd: folder, env: { AISLE_SERVER: server.rpcUrl } });

describe("aisle evaluate", () => {
  it("shows in tables how well each ranking did, and stores nothing", async () => {
    const { code, stdout, stderr } = await aisle("evaluate", "--app", "shop");
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^(?:\d+ % \w+\n)+$/)]);
    expect(stdout).toMatch(/^Learned from 36 visits and 36 orders before 2026-01-02 12:00:00Z,\n/);
    expect(stdout).toMatch(/\nOrder, one line hidden: 4 questions\n +HR@20 +MRR@20/);
    expect(stdout).toMatch(/\ncart +source +1\.000 +1\.000 /);
    expect((await rpcClients(server.rpcUrl).models.listModels({ appId: "shop" })).models).toEqual([]);
  });

  it("prints the same JSON each time, and draws a picture of it", async () => {
    const args = ["evaluate", "--app", "shop", "--json", "--queries", "3", "--seed", "5", "--picture", "quality.svg"];
    const [first, second] = [await aisle(...args), await aisle(...args)];
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(second.stdout).toBe(first.stdout);
    const json: unknown = JSON.parse(first.stdout);
    expect(json).toMatchObject({
      cutOffTime: "2026-01-02T12:00:00Z",
      seed: 5,
      dataCounts: { products: "6", learnedVisits: "36", judgedVisits: "4" },
    });
    const svg = await readFile(join(folder, "quality.svg"), "utf8");
    expect(formFault(svg)).toBe("");
    expect(svg).toContain("Order, one line hidden");
  });

  it("reports that a picture cannot be written", async () => {
    const { code, stderr } = await aisle("evaluate", "--app", "shop", "--picture", join("nowhere", "quality.svg"));
    expect([code, stderr.trimEnd().split("\n").at(-1)]).toEqual([1, "error: --picture: the file cannot be written"]);
  });

  it("fails with one line for an app without visits", async () => {
    await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "empty" } });
    const { code, stderr } = await aisle("evaluate", "--app", "empty");
    const line = "error: 0 visits before the newest tenth, 20 are needed";
    expect([code, stderr.trimEnd().split("\n").at(-1)]).toEqual([1, line]);
  });
});

describe("an EvaluateModel error", () => {
  it("names the field that is missing or too large", async () => {
    const { models } = rpcClients(server.rpcUrl);
    const failure = async (request: { appId?: string; maxQueries?: number }) => {
      try {
        await models.evaluateModel(request);
      } catch (error) {
        return String(error);
      }
      return "";
    };
    expect(await failure({})).toContain("Missing required field: app_id");
    expect(await failure({ appId: "shop", maxQueries: 1_000_001 })).toContain("Invalid field: max_queries");
  });
});
