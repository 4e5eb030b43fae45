import { createServer, type Http2Server } from "node:http2";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { runCommand } from "./run-command.js";

let aisle: Awaited<ReturnType<typeof openAisle>>;
let server: Http2Server;
beforeEach(async () => {
  aisle = await openAisle();
  await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
  server = createServer(connectNodeAdapter({ routes: (router) => aisle.routes(router) }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.close();
});

function operation(...args: string[]) {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return runCommand(["operation", ...args, "--app", "shop"], { env: { AISLE_SERVER: `http://127.0.0.1:${port}` } });
}

const order = () =>
  aisle.trace({ app_id: "shop", action_type: "order", order_id: "o1", c_id: "v1", product_ids: "a|b" });

async function addProducts(): Promise<void> {
  const feed = async function* () {
    yield { appId: "shop", products: ["a", "b", "c"].map((productId) => ({ productId, title: productId })) };
  };
  await aisle.rpc.catalog.upsertProducts(feed());
  await order();
}

/** Answers the operation's id. An app without products fails to learn. */
async function beginTraining(): Promise<string> {
  const begun = await aisle.rpc.models.trainModel({ appId: "shop" });
  return begun.operation?.operationId ?? "";
}

describe("aisle operation", () => {
  it("says that an app has none", async () => {
    expect(await operation("list")).toMatchObject({ exitCode: 0, stdout: "No operations\n" });
  });

  it("waits for a training, and then shows and lists it as succeeded", async () => {
    await addProducts();
    const id = await beginTraining();
    expect(await operation("wait", id)).toMatchObject({ exitCode: 0, stdout: `${id}: train model, succeeded\n` });
    expect(await operation("get", id)).toMatchObject({ exitCode: 0, stdout: `${id}: train model, succeeded\n` });
    expect((await operation("list")).stdout).toMatch(new RegExp(`${id} +train model +\\S+ \\S+ +succeeded`));
  });

  it("prints an operation as JSON, with the model of a training", async () => {
    await addProducts();
    const id = await beginTraining();
    await operation("wait", id);
    expect(JSON.parse((await operation("get", id, "--json")).stdout)).toMatchObject({
      operationId: id,
      kind: "OPERATION_KIND_TRAIN_MODEL",
      model: { modelId: expect.any(String) },
    });
  });

  it("shows an ended operation that is canceled as it ended", async () => {
    await addProducts();
    const id = await beginTraining();
    await operation("wait", id);
    expect(await operation("cancel", id)).toMatchObject({ exitCode: 0, stdout: `${id}: train model, succeeded\n` });
  });

  it("ends with 1 and the reason when the operation that it waits for fails", async () => {
    await order();
    const id = await beginTraining();
    const { exitCode, stderr } = await operation("wait", id);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("The app has no products to learn about")]);
    expect((await operation("get", id)).stdout).toBe(
      `${id}: train model, failed: The app has no products to learn about\n`,
    );
  });

  it("names an operation that does not exist", async () => {
    const { exitCode, stderr } = await operation("get", "01920f1c-0000-7000-8000-000000000000");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("operation")]);
  });
});
