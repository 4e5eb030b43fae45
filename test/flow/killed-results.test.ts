import { expect, it } from "vitest";
import { rpcClients, startServer, temporaryDirectory } from "../fixtures/server.js";
import { inShort } from "../results/result-shop.js";

const VISITORS = 50;

it("a server that is killed has each click and order that it answered with 200 in its report", async () => {
  const directory = await temporaryDirectory();
  const server = await startServer({ directory });
  const { apps, catalog } = rpcClients(server.rpcUrl);
  await apps.createApp({ app: { appId: "shop" } });
  const products = ["a", "b", "c", "d"].map((productId) => ({ productId, title: productId }));
  await catalog.upsertProducts(
    (async function* () {
      yield { appId: "shop", products };
    })(),
  );
  const send = async (path: string, body: string, type: string) => {
    const answer = await fetch(`${server.facadeUrl}${path}`, {
      method: "POST",
      body,
      headers: { "content-type": type },
    });
    expect(answer.status).toBe(200);
    return answer.text();
  };
  const trace = (fields: Record<string, string>) =>
    send("/trace", new URLSearchParams({ app_id: "shop", ...fields }).toString(), "application/x-www-form-urlencoded");
  const visit = async (n: number) => {
    const asked = { appId: "shop", fpccid: `v${n}`, productInteractions: [], trackClicks: true };
    const answer: unknown = JSON.parse(await send("/recommend", JSON.stringify(asked), "application/json"));
    const { recommendationId, recommended } = answer as {
      recommendationId: string;
      recommended: { productId: string }[];
    };
    const ids = { fp_ccid: `v${n}`, recommendation_id: recommendationId };
    await trace({ ...ids, action_type: "product_view", product_ids: recommended[0]!.productId });
    const order = { order_id: `o${n}`, order_payment_value: "2", order_currency: "EUR" };
    await trace({ ...ids, ...order, action_type: "order", product_ids: recommended[0]!.productId });
  };
  await Promise.all(Array.from({ length: VISITORS }, (_, n) => visit(n)));
  await server.end("SIGKILL");
  const next = await startServer({ directory });
  const { frames } = await rpcClients(next.rpcUrl).apps.getFrameReport({ appId: "shop", frameId: "default" });
  expect(inShort(frames[0]!.total!)).toBe(
    "50 answers, 50 visitors, 50 clicked by 50 clicks, 50 ordered; after a click 50 for 100.00 EUR; other 0",
  );
});
