import { LinkPurpose } from "../../src/gen/aisle/v1/link_pb.js";
import { SubscriptionChannel } from "../../src/gen/aisle/v1/subscription_pb.js";
import { openAisle } from "../fixtures/aisle.js";
import { emptyStore } from "../fixtures/store.js";

export const appId = "shop";
/** Two ids that no call has named together: a call that joined them would write. */
export const visitor = { clientId: "c1", fingerprintId: "f2" };
export const feed = { feedId: "f", url: "https://shop.example/f.xml", interval: { seconds: 3600n } };

/** A server with a record of every kind, and the directory of its store. */
export async function openFullShop() {
  let directory = "";
  const aisle = await openAisle(
    async (now) => {
      const store = await emptyStore(now);
      directory = store.directory;
      return store;
    },
    { publicUrl: "https://shop.example" },
  );
  const { rpc, trace, trainer, store } = aisle;
  await rpc.apps.createApp({ app: { appId } });
  const products = ["p1", "p2", "p3"].map((productId) => ({ productId, sku: `s-${productId}`, title: productId }));
  await rpc.catalog.upsertProducts(
    (async function* () {
      yield { appId, products };
    })(),
  );
  await rpc.apps.setFrameConfiguration({ appId, frameConfiguration: { frameId: "home", recommendedCount: 2 } });
  const { signingSecret } = await rpc.apps.createSigningSecret({ appId });
  await rpc.catalog.setProductGroup({ appId, group: { groupId: "gifts", productIds: ["p1"] } });
  await rpc.catalog.setFeed({ appId, feed });
  await rpc.hooks.setHook({ appId, url: "https://shop.example/hook" });
  await trace({ app_id: appId, action_type: "subscribe", email: "ann@example.com", c_id: "c1" });
  const { eventId } = await trace({ app_id: appId, action_type: "product_view", product_ids: "p1", fp_ccid: "f2" });
  await trace({ app_id: appId, action_type: "order", order_id: "o1", product_ids: "p1", c_id: "c1" });
  const { eventId: keyedEventId } = await rpc.events.recordEvent({
    appId,
    event: { actionType: "other", extraFields: { n: "1" } },
    idempotencyKey: "known",
  });
  await rpc.events.recordEvent({ appId, event: { actionType: "product_view" } }).catch(() => undefined);
  const { rejectedEvents } = await rpc.events.listRejectedEvents({ appId });
  await store.unitOfWork.run(appId, (tx) => tx.deadHooks.put("dead", DEAD));
  const older = await trainer.train(appId, () => undefined);
  aisle.now.at += 1000;
  const { operation } = await rpc.models.trainModel({ appId });
  await aisle.settleOperations();
  const link = await rpc.subscriptions.createLink({
    appId,
    contact: { case: "email", value: "ann@example.com" },
    purpose: LinkPurpose.UNSUBSCRIBE,
    channel: SubscriptionChannel.EMAIL,
  });
  await aisle.writeFrameCounts();
  return {
    ...aisle,
    directory,
    eventId,
    keyedEventId,
    rejectedEventId: rejectedEvents[0]?.rejectedEventId ?? "",
    secretId: signingSecret?.secretId ?? "",
    olderModelId: older.modelId,
    operationId: operation?.operationId ?? "",
    token: link.url.split("/s/")[1] ?? "",
  };
}

export type FullShop = Awaited<ReturnType<typeof openFullShop>>;

const DEAD = {
  messageId: "dead",
  kind: "subscription.changed",
  contactId: "c",
  channel: "email",
  changeId: "",
  createdAt: 1,
  attempts: 9,
  nextAt: 1,
  failure: "refused",
  status: 500,
  body: "",
} as const;
