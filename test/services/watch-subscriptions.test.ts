import { Code } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { openAisle } from "../fixtures/aisle.js";

const appId = "shop";

async function openShop() {
  const { rpc } = await openAisle();
  await rpc.apps.createApp({ app: { appId } });
  const subscribe = (who: string) =>
    rpc.subscriptions.setSubscription({
      appId,
      email: `${who}@example.com`,
      emailState: SubscriptionState.SUBSCRIBED,
    });
  return { rpc, subscribe };
}

it("WatchSubscriptions sends past changes, then new ones, and goes on after its token without loss", async () => {
  const { rpc, subscribe } = await openShop();
  await subscribe("ann");
  const ids: string[] = [];
  let resumeToken = "";
  for await (const message of rpc.subscriptions.watchSubscriptions({ appId })) {
    ids.push(...message.changes.map(({ changeId }) => changeId));
    resumeToken = message.resumeToken;
    if (ids.length === 1) await subscribe("bob");
    else break;
  }
  await subscribe("eve");
  for await (const message of rpc.subscriptions.watchSubscriptions({ appId, resumeToken })) {
    ids.push(...message.changes.map(({ changeId }) => changeId));
    break;
  }
  const { changes } = await rpc.subscriptions.listChanges({ appId });
  expect(ids).toEqual(changes.map(({ changeId }) => changeId));
});

it("WatchSubscriptions rejects the token of another request", async () => {
  const { rpc } = await openShop();
  for await (const { resumeToken } of rpc.subscriptions.watchSubscriptions({ appId })) {
    const other = rpc.subscriptions.watchSubscriptions({ appId, contactId: "k1", resumeToken });
    await expect(other[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: Code.InvalidArgument });
    break;
  }
});
