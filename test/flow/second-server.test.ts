/** Two whole servers over one database: what one changes the other shows, while change streams break and the primary steps down. */
import { afterAll, expect, it } from "vitest";
import { trained } from "../fixtures/operations.js";
import { rpcClients, startServer } from "../fixtures/server.js";
import { makeShop } from "../fixtures/small-shop.js";
import { openTestReplicaSet } from "../peers/mongo/replica-set.js";
import { databaseName } from "../store/mongo/open-mongo.js";

const members = await openTestReplicaSet();
afterAll(() => members.close());

const WAIT = { interval: 50, timeout: 60_000 };
const ROUNDS = 12;

/** What happens between two changes: nothing, all connections break, another member becomes primary. */
const BETWEEN = [() => {}, () => members.cut(), () => members.failOver()];

it("a second server shows every price, model and setting that the first one changes, while streams break and the primary steps down", async () => {
  const store = members.url(databaseName());
  const options = { store, flags: ["--train-every", "off"], env: { AISLE_ANSWER_MS: "20000" } };
  const first = await startServer(options);
  const second = await startServer(options);
  const writer = rpcClients(first.rpcUrl);
  await makeShop(writer, "shop");
  await trained(writer, "shop");

  const ask = async (facadeUrl: string) => {
    const answer = await fetch(`${facadeUrl}/recommend`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ appId: "shop", productInteractions: [], currentProductIds: "p0" }),
    });
    return answer.text();
  };
  const modelOf = async (rpcUrl: string) =>
    (await rpcClients(rpcUrl).recommendations.recommend({ appId: "shop", currentProductIds: ["p0"] })).modelId;
  await expect.poll(() => modelOf(second.rpcUrl), WAIT).not.toBe("");
  await ask(second.facadeUrl); // from here on it holds the products

  for (let round = 0; round < ROUNDS; round++) {
    const title = `Ridge tent ${round}`;
    // Refused while no member is primary, as for any caller, who sends it again.
    await expect
      .poll(
        () =>
          writer.catalog
            .updateProduct({ appId: "shop", product: { productId: "p0", title }, updateMask: { paths: ["title"] } })
            .then(() => "stored", String),
        WAIT,
      )
      .toBe("stored");
    await expect.poll(() => ask(second.facadeUrl), WAIT).toContain(`"${title}"`);
    BETWEEN[round % BETWEEN.length]?.();
  }

  await expect.poll(() => trained(writer, "shop").then(() => "trained", String), WAIT).toBe("trained");
  const model = await modelOf(first.rpcUrl);
  await expect.poll(() => modelOf(second.rpcUrl), WAIT).toBe(model);
  members.cut();
  await expect
    .poll(
      () => writer.apps.updateApp({ app: { appId: "shop", displayName: "Renamed" } }).then(() => "stored", String),
      WAIT,
    )
    .toBe("stored");
  const nameOf = async () => (await rpcClients(second.rpcUrl).apps.getApp({ appId: "shop" })).app?.displayName;
  await expect.poll(nameOf, WAIT).toBe("Renamed");
}, 300_000);
