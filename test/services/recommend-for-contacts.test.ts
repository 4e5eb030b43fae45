import { Code } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { NoRecommendation } from "../../src/gen/aisle/v1/recommendation_service_pb.js";
import { SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { openAisle } from "../fixtures/aisle.js";

const appId = "shop";

/** Ann is subscribed and bought p1; Bob has unsubscribed. */
async function openShop() {
  const { rpc, trace } = await openAisle();
  await rpc.apps.createApp({ app: { appId } });
  await rpc.catalog.upsertProducts(
    (async function* () {
      yield { appId, products: ["p1", "p2", "p3"].map((productId) => ({ productId, title: productId })) };
    })(),
  );
  await rpc.subscriptions.setSubscription({
    appId,
    email: "ann@example.com",
    emailState: SubscriptionState.SUBSCRIBED,
    visitor: { clientId: "c1" },
  });
  await trace({ app_id: appId, action_type: "order", order_id: "o1", product_ids: "p1", c_id: "c1" });
  await rpc.subscriptions.setSubscription({
    appId,
    email: "bob@example.com",
    emailState: SubscriptionState.UNSUBSCRIBED,
  });
  const ask = async (request: object) => {
    const results = [];
    for await (const part of rpc.recommendations.recommendForContacts({ request: { appId }, ...request }))
      results.push(...part.results);
    return results;
  };
  return { rpc, ask };
}

it("RecommendForContacts answers in order, by the history of each contact, and for subscribed ones only", async () => {
  const { ask, rpc } = await openShop();
  const { contact } = await rpc.subscriptions.getContact({
    appId,
    contact: { case: "email", value: "ann@example.com" },
  });
  const ann = contact?.contactId ?? "";
  const results = await ask({ contacts: ["ANN@example.com", "bob@example.com", "eve@example.com", ann] });
  expect(
    results.map(({ result }) => (result.case === "omitted" ? NoRecommendation[result.value] : result.case)),
  ).toEqual(["response", "NOT_SUBSCRIBED", "UNKNOWN", "response"]);
  for (const at of [0, 3]) {
    const { result } = results[at]!;
    if (result.case !== "response") return expect.unreachable("Ann has an answer");
    const ids = [...result.value.recommended, ...result.value.alternative].map(({ productId }) => productId);
    expect(ids.sort()).toEqual(["p2", "p3"]); // she bought p1
  }
});

it("RecommendForContacts answers for unsubscribed contacts on request", async () => {
  const { ask } = await openShop();
  const [bob] = await ask({ contacts: ["bob@example.com"], includeUnsubscribed: true });
  expect(bob?.result.case).toBe("response");
});

it("RecommendForContacts without a list answers for every subscribed contact of the app", async () => {
  const { ask } = await openShop();
  expect((await ask({})).map(({ result }) => result.case)).toEqual(["response"]);
  expect(await ask({ includeUnsubscribed: true })).toHaveLength(2);
});

it("RecommendForContacts rejects a request that names a visitor", async () => {
  const { ask } = await openShop();
  const call = ask({ request: { appId, visitor: { clientId: "c1" } } });
  await expect(call).rejects.toMatchObject({ code: Code.InvalidArgument });
});
