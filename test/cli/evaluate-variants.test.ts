import { createServer } from "node:http2";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { expect, it, onTestFinished } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { runCommand } from "./run-command.js";

const COUNT = 20;
const SIZES = ["S", "M", "L"] as const;
const HOUR_MS = 3_600_000;
const size = (n: number) => SIZES[n % 3]!;

it("aisle evaluate gives answers and item kNN the same hit rate in a shop whose orders hold several sizes of a product", async () => {
  const aisle = await openAisle();
  const { rpc, now } = aisle;
  await rpc.apps.createApp({ app: { appId: "shop" } });
  const products = ["shirt", "belt"].flatMap((kind) =>
    Array.from({ length: COUNT }, (_, n) => n).flatMap((n) =>
      SIZES.map((one) => ({ productId: `${kind}${n}-${one}`, title: `${kind} ${n}`, variantGroupId: `${kind}${n}` })),
    ),
  );
  const feed = async function* () {
    yield { appId: "shop", products };
  };
  await rpc.catalog.upsertProducts(feed());
  for (let i = 0; i < 400; i++) {
    const n = (i * 7) % COUNT;
    const ids = [`shirt${n}-${size(i)}`, `shirt${n}-${size(i + 1)}`, `belt${n}-${size(i * 5 + 1)}`];
    const at = new Date(now.at - (400 - i) * HOUR_MS).toISOString().slice(0, 19).replace("T", " ");
    const fields = { app_id: "shop", action_type: "order", order_id: `o${i}`, c_id: `v${i}`, event_utc_date: at };
    expect((await aisle.trace({ ...fields, product_ids: ids.join("|") })).status).toBe(200);
  }
  const server = createServer(connectNodeAdapter({ routes: (router) => aisle.routes(router) }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const { stdout, exitCode } = await runCommand(["evaluate", "--app", "shop"], {
    env: { AISLE_SERVER: `http://127.0.0.1:${port}` },
  });
  expect(exitCode).toBe(0);
  const [, task = ""] = stdout.split("Order, one line hidden");
  const hitRate = (ranking: string) =>
    task
      .split("\n")
      .find((line) => line.startsWith(`${ranking} `))
      ?.split(/ {2,}/)[2];
  expect(hitRate("recommended")).toBe("1.000");
  expect(hitRate("item_knn")).toBe("1.000");
});
