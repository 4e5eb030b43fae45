import { expect, it } from "vitest";
import { SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { RPC_SERVICES } from "../../src/services/wire/rpc-methods.js";
import { openAisle } from "../fixtures/aisle.js";
import { directoryBytes } from "../fixtures/directory-bytes.js";
import { emptyStore } from "../fixtures/store.js";
import type { Rpc } from "./write-calls.js";

const appId = "shop";
const feed = { feedId: "f", url: "https://shop.example/f.xml", interval: { seconds: 3600n } };

/** A call of each method that has `validate_only`, with what the answer of the real call has. */
const CALLS: Record<
  string,
  readonly [call: (rpc: Rpc, more: { validateOnly: true }) => Promise<unknown>, answer: object]
> = {
  createApp: [({ apps }, more) => apps.createApp({ app: { appId: "new" }, ...more }), { app: { appId: "new" } }],
  updateApp: [
    ({ apps }, more) => apps.updateApp({ app: { appId, displayName: "New" }, ...more }),
    { app: { displayName: "New" } },
  ],
  deleteApp: [({ apps }, more) => apps.deleteApp({ appId, ...more }), {}],
  setFrameConfiguration: [
    ({ apps }, more) => apps.setFrameConfiguration({ appId, frameConfiguration: { frameId: "new" }, ...more }),
    { frameConfiguration: { frameId: "new" } },
  ],
  deleteFrameConfiguration: [
    ({ apps }, more) => apps.deleteFrameConfiguration({ appId, frameId: "home", ...more }),
    {},
  ],
  deleteSigningSecret: [
    async ({ apps }, more) => {
      const { signingSecrets } = await apps.listSigningSecrets({ appId });
      return apps.deleteSigningSecret({ appId, secretId: signingSecrets[0]?.secretId ?? "", ...more });
    },
    {},
  ],
  updateProduct: [
    ({ catalog }, more) =>
      catalog.updateProduct({
        appId,
        product: { productId: "p1", title: "New" },
        updateMask: { paths: ["title"] },
        ...more,
      }),
    { product: { title: "New" } },
  ],
  deleteProduct: [({ catalog }, more) => catalog.deleteProduct({ appId, productId: "p1", ...more }), {}],
  setProductGroup: [
    ({ catalog }, more) => catalog.setProductGroup({ appId, group: { groupId: "new", tags: ["t"] }, ...more }),
    { group: { groupId: "new" } },
  ],
  deleteProductGroup: [({ catalog }, more) => catalog.deleteProductGroup({ appId, groupId: "gifts", ...more }), {}],
  setFeed: [({ catalog }, more) => catalog.setFeed({ appId, feed: { ...feed, feedId: "new" }, ...more }), { feed: {} }],
  deleteFeed: [({ catalog }, more) => catalog.deleteFeed({ appId, feedId: "f", ...more }), {}],
  deleteHook: [({ hooks }, more) => hooks.deleteHook({ appId, ...more }), {}],
  setSubscription: [
    ({ subscriptions }, more) =>
      subscriptions.setSubscription({
        appId,
        email: "ann@example.com",
        emailState: SubscriptionState.SUBSCRIBED,
        ...more,
      }),
    { contact: { email: "ann@example.com", emailState: SubscriptionState.SUBSCRIBED } },
  ],
  recordEvent: [
    ({ events }, more) =>
      events.recordEvent({ appId, event: { actionType: "order", order: { orderId: "o1" } }, ...more }),
    { eventId: "", notes: ["the order names no product"] },
  ],
};

it("every method with validate_only has a case", () => {
  const methods = RPC_SERVICES.flatMap(({ methods }) => methods);
  const having = methods.filter(({ input }) => input.fields.some(({ name }) => name === "validate_only"));
  expect(Object.keys(CALLS).sort()).toEqual(having.map(({ localName }) => localName).sort());
});

it.each(Object.entries(CALLS))(
  "%s with validate_only answers as the call would, and changes no byte",
  async (_, one) => {
    let directory = "";
    const { rpc } = await openAisle(async (now) => {
      const store = await emptyStore(now);
      directory = store.directory;
      return store;
    });
    await rpc.apps.createApp({ app: { appId } });
    await rpc.catalog.upsertProducts(
      (async function* () {
        yield { appId, products: [{ productId: "p1", title: "One" }] };
      })(),
    );
    await rpc.apps.setFrameConfiguration({ appId, frameConfiguration: { frameId: "home" } });
    await rpc.apps.createSigningSecret({ appId });
    await rpc.catalog.setProductGroup({ appId, group: { groupId: "gifts", productIds: ["p1"] } });
    await rpc.catalog.setFeed({ appId, feed });
    await rpc.hooks.setHook({ appId, url: "https://shop.example/hook" });
    const [call, answer] = one;
    const before = await directoryBytes(directory);
    expect(await call(rpc, { validateOnly: true })).toMatchObject(answer);
    expect(await directoryBytes(directory)).toBe(before);
  },
);

it("validate_only fails as the call would", async () => {
  const { rpc } = await openAisle();
  await rpc.apps.createApp({ app: { appId } });
  const validateOnly = true;
  await expect(rpc.apps.createApp({ app: { appId }, validateOnly })).rejects.toThrow(/already_exists/);
  await expect(rpc.catalog.deleteFeed({ appId, feedId: "none", validateOnly })).rejects.toThrow(/not_found/);
  await expect(rpc.events.recordEvent({ appId, event: {}, validateOnly })).rejects.toThrow(/action_type/);
});
