import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { ProductUpdateOutcome } from "../../src/gen/aisle/v1/catalog_service_pb.js";
import { LinkPurpose } from "../../src/gen/aisle/v1/link_pb.js";
import { OperationKind, OperationState } from "../../src/gen/aisle/v1/operation_pb.js";
import { SubscriptionChannel, SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { ErrorInfoSchema } from "../../src/gen/google/rpc/error_details_pb.js";
import { RPC_SERVICES } from "../../src/services/telemetry/rpc-methods.js";
import { directoryBytes } from "../fixtures/directory-bytes.js";
import { appId, type FullShop, feed, openFullShop } from "./full-shop.js";

type Call = (shop: FullShop, more: { validateOnly: boolean }) => Promise<unknown>;

/** A call that succeeds, its answer when it is only tried, and a call that fails. */
type Case = readonly [call: Call, answer: object, wrong: Call];

async function* stream<T>(...batches: readonly T[]) {
  yield* batches;
}

const order = { actionType: "order", order: { orderId: "o1" } };
const keyed = { actionType: "other", extraFields: { n: "1" } };
const BY_ANN = {
  contact: { case: "email" as const, value: "ann@example.com" },
  channel: SubscriptionChannel.EMAIL,
  purpose: LinkPurpose.UNSUBSCRIBE,
};

/** By service and method. */
const CASES: Record<string, Case> = {
  "AppService/CreateApp": [
    ({ rpc }, more) => rpc.apps.createApp({ app: { displayName: "New" }, ...more }),
    { app: { appId: "", displayName: "New" } },
    ({ rpc }, more) => rpc.apps.createApp({ app: { appId }, ...more }),
  ],
  "AppService/UpdateApp": [
    ({ rpc }, more) => rpc.apps.updateApp({ app: { appId, displayName: "New" }, ...more }),
    { app: { displayName: "New" } },
    ({ rpc }, more) => rpc.apps.updateApp({ app: { appId, displayName: "New" }, etag: "old", ...more }),
  ],
  "AppService/DeleteApp": [
    ({ rpc }, more) => rpc.apps.deleteApp({ appId, ...more }),
    {},
    ({ rpc }, more) => rpc.apps.deleteApp({ appId, etag: "old", ...more }),
  ],
  "AppService/SetFrameConfiguration": [
    ({ rpc }, more) => rpc.apps.setFrameConfiguration({ appId, frameConfiguration: { frameId: "new" }, ...more }),
    { frameConfiguration: { frameId: "new" } },
    ({ rpc }, more) =>
      rpc.apps.setFrameConfiguration({ appId, frameConfiguration: { frameId: "home" }, etag: "", ...more }),
  ],
  "AppService/DeleteFrameConfiguration": [
    ({ rpc }, more) => rpc.apps.deleteFrameConfiguration({ appId, frameId: "home", ...more }),
    {},
    ({ rpc }, more) => rpc.apps.deleteFrameConfiguration({ appId, frameId: "none", ...more }),
  ],
  "AppService/CreateSigningSecret": [
    ({ rpc }, more) => rpc.apps.createSigningSecret({ appId, ...more }),
    { secret: "", signingSecret: { secretId: "" } },
    async ({ rpc }, more) => {
      await rpc.apps.createSigningSecret({ appId, replaceOldest: true }); // now there are two
      return rpc.apps.createSigningSecret({ appId, ...more });
    },
  ],
  "AppService/DeleteSigningSecret": [
    ({ rpc, secretId }, more) => rpc.apps.deleteSigningSecret({ appId, secretId, ...more }),
    {},
    ({ rpc }, more) => rpc.apps.deleteSigningSecret({ appId, secretId: "none", ...more }),
  ],
  "CatalogService/UpsertProducts": [
    ({ rpc }, more) =>
      rpc.catalog.upsertProducts(
        stream(
          { appId, products: [{ productId: "p1", title: "New" }, { productId: "" }], ...more },
          { products: [{ productId: "p9" }] },
        ),
      ),
    { accepted: 2, refusedTotal: 1, refused: [{ index: 1, field: "product_id" }] },
    ({ rpc }, more) => rpc.catalog.upsertProducts(stream({ appId: "none", products: [{ productId: "p1" }], ...more })),
  ],
  "CatalogService/ReplaceCatalog": [
    ({ rpc }, more) =>
      rpc.catalog.replaceCatalog(
        stream(
          { appId, products: [{ productId: "p1", title: "New" }], ...more },
          { products: [{ productId: "p2" }], last: true },
        ),
      ),
    { accepted: 2, hidden: 1, unlisted: 1 },
    ({ rpc }, more) => rpc.catalog.replaceCatalog(stream({ appId, listedIds: ["p1"], last: true, ...more })),
  ],
  "CatalogService/SetFeed": [
    ({ rpc }, more) => rpc.catalog.setFeed({ appId, feed: { ...feed, feedId: "new" }, ...more }),
    { feed: { feedId: "new" } },
    ({ rpc }, more) => rpc.catalog.setFeed({ appId, feed: { ...feed, url: "http://shop.example" }, ...more }),
  ],
  "CatalogService/DeleteFeed": [
    ({ rpc }, more) => rpc.catalog.deleteFeed({ appId, feedId: "f", ...more }),
    {},
    ({ rpc }, more) => rpc.catalog.deleteFeed({ appId, feedId: "none", ...more }),
  ],
  "CatalogService/RunFeed": [
    ({ rpc }, more) => rpc.catalog.runFeed({ appId, feedId: "f", force: true, ...more }),
    { operation: { operationId: "", kind: OperationKind.RUN_FEED } },
    ({ rpc }, more) => rpc.catalog.runFeed({ appId, feedId: "none", ...more }),
  ],
  "CatalogService/UpdateProduct": [
    ({ rpc }, more) => rpc.catalog.updateProduct({ appId, product: { productId: "p1", title: "New" }, ...more }),
    { product: { title: "New" } },
    ({ rpc }, more) => rpc.catalog.updateProduct({ appId, product: { productId: "none", title: "New" }, ...more }),
  ],
  "CatalogService/UpdateProducts": [
    ({ rpc }, more) =>
      rpc.catalog.updateProducts({
        appId,
        updates: [
          { product: { productId: "p1", title: "New" } },
          { product: { productId: "p9", title: "New" }, allowMissing: true },
          { product: { productId: "p8", title: "New" } },
        ],
        ...more,
      }),
    {
      results: [
        { productId: "p1", outcome: ProductUpdateOutcome.UPDATED },
        { productId: "p9", outcome: ProductUpdateOutcome.CREATED },
        { productId: "p8", outcome: ProductUpdateOutcome.NOT_FOUND },
      ],
    },
    ({ rpc }, more) => rpc.catalog.updateProducts({ appId, ...more }),
  ],
  "CatalogService/DeleteProduct": [
    ({ rpc }, more) => rpc.catalog.deleteProduct({ appId, productId: "p1", ...more }),
    {},
    ({ rpc }, more) => rpc.catalog.deleteProduct({ appId, ...more }),
  ],
  "CatalogService/SetProductGroup": [
    ({ rpc }, more) => rpc.catalog.setProductGroup({ appId, group: { groupId: "new", tags: ["t"] }, ...more }),
    { group: { groupId: "new" } },
    ({ rpc }, more) => rpc.catalog.setProductGroup({ appId, group: { groupId: "gifts" }, etag: "", ...more }),
  ],
  "CatalogService/DeleteProductGroup": [
    ({ rpc }, more) => rpc.catalog.deleteProductGroup({ appId, groupId: "gifts", ...more }),
    {},
    ({ rpc }, more) => rpc.catalog.deleteProductGroup({ appId, groupId: "none", ...more }),
  ],
  "EventService/RecordEvent": [
    ({ rpc }, more) => rpc.events.recordEvent({ appId, event: order, ...more }),
    { eventId: "", notes: ["the order names no product"] },
    ({ rpc }, more) =>
      rpc.events.recordEvent({ appId, event: { actionType: "other" }, idempotencyKey: "known", ...more }),
  ],
  "EventService/RecordEvents": [
    ({ rpc }, more) =>
      rpc.events.recordEvents(
        stream(
          { appId, events: [order, { actionType: "order" }], listEvents: true, ...more },
          { events: [keyed], idempotencyKeys: ["known"], listEvents: true },
        ),
      ),
    {
      accepted: 1,
      deduplicated: 1,
      refusedTotal: 1,
      refused: [{ index: 1, field: "event.order.order_id" }],
      recorded: [
        { index: 0, eventId: "", deduplicated: false },
        { index: 2, deduplicated: true },
      ],
    },
    ({ rpc }, more) => rpc.events.recordEvents(stream({ appId: "none", events: [order], ...more })),
  ],
  "EventService/BatchRecordEvents": [
    ({ rpc }, more) => rpc.events.batchRecordEvents({ appId, events: [order, { actionType: "order" }], ...more }),
    { recorded: [{ index: 0, eventId: "" }], refused: [{ index: 1, field: "event.order.order_id" }] },
    ({ rpc }, more) => rpc.events.batchRecordEvents({ appId, ...more }),
  ],
  "EventService/ReplayRejectedEvents": [
    ({ rpc, rejectedEventId }, more) =>
      rpc.events.replayRejectedEvents({
        appId,
        rejectedEventIds: [rejectedEventId],
        correctedEvent: { actionType: "other" },
        ...more,
      }),
    { replayed: [{ eventId: "", deduplicated: false }], refused: [] },
    ({ rpc }, more) => rpc.events.replayRejectedEvents({ appId, correctedEvent: { actionType: "other" }, ...more }),
  ],
  "HookService/SetHook": [
    ({ rpc }, more) => rpc.hooks.setHook({ appId, url: "https://shop.example/new", ...more }),
    { secret: "", etag: "" },
    ({ rpc }, more) => rpc.hooks.setHook({ appId, url: "https://shop.example/new", etag: "", ...more }),
  ],
  "HookService/DeleteHook": [
    ({ rpc }, more) => rpc.hooks.deleteHook({ appId, ...more }),
    {},
    ({ rpc }, more) => rpc.hooks.deleteHook({ appId, etag: "old", ...more }),
  ],
  "HookService/ResendMessages": [
    ({ rpc }, more) => rpc.hooks.resendMessages({ appId, messageIds: ["dead", "none"], ...more }),
    { resent: 1 },
    ({ rpc }, more) => rpc.hooks.resendMessages({ appId, ...more }),
  ],
  "ModelService/TrainModel": [
    ({ rpc }, more) => rpc.models.trainModel({ appId, ...more }),
    { operation: { operationId: "", kind: OperationKind.TRAIN_MODEL, state: OperationState.RUNNING } },
    async ({ rpc }, more) => {
      await rpc.apps.createApp({ app: { appId: "empty" } }).catch(() => undefined); // it has no data
      return rpc.models.trainModel({ appId: "empty", ...more });
    },
  ],
  "ModelService/ActivateModel": [
    ({ rpc, olderModelId: modelId }, more) => rpc.models.activateModel({ appId, modelId, ...more }),
    { model: { active: true, held: true, version: "" } },
    ({ rpc }, more) => rpc.models.activateModel({ appId, modelId: "none", ...more }),
  ],
  "ModelService/SetModelHold": [
    ({ rpc }, more) => rpc.models.setModelHold({ appId, held: true, ...more }),
    { model: { active: true, held: true } },
    ({ rpc }, more) => rpc.models.setModelHold({ appId: "none", held: true, ...more }),
  ],
  "ModelService/EvaluateModel": [
    ({ rpc }, more) => rpc.models.evaluateModel({ appId, ...more }),
    { operation: { operationId: "", kind: OperationKind.EVALUATE_MODEL } },
    ({ rpc }, more) => rpc.models.evaluateModel({ appId, maxQueries: -1, ...more }),
  ],
  "OperationService/CancelOperation": [
    async ({ rpc, operationId }, more) => rpc.operations.cancelOperation({ appId, operationId, ...more }),
    { operation: { kind: OperationKind.TRAIN_MODEL } },
    ({ rpc }, more) => rpc.operations.cancelOperation({ appId, operationId: "none", ...more }),
  ],
  "PrivacyService/EraseVisitor": [
    ({ rpc }, more) => rpc.privacy.eraseVisitor({ appId, person: { visitor: { clientId: "c1" } }, ...more }),
    { outcome: { case: "preview", value: { erasureId: "" } } },
    ({ rpc }, more) => rpc.privacy.eraseVisitor({ appId, person: {}, ...more }),
  ],
  "SubscriptionService/SetSubscription": [
    ({ rpc }, more) =>
      rpc.subscriptions.setSubscription({
        appId,
        email: "new@example.com",
        emailState: SubscriptionState.SUBSCRIBED,
        ...more,
      }),
    { contact: { contactId: "", email: "new@example.com", emailState: SubscriptionState.SUBSCRIBED } },
    ({ rpc }, more) => rpc.subscriptions.setSubscription({ appId, email: "none", ...more }),
  ],
  "SubscriptionService/AddSuppressions": [
    ({ rpc }, more) => rpc.subscriptions.addSuppressions({ appId, addresses: ["ann@example.com"], ...more }),
    { added: 1, known: 0 },
    ({ rpc }, more) => rpc.subscriptions.addSuppressions({ appId, addresses: ["none"], ...more }),
  ],
  "SubscriptionService/RemoveSuppressions": [
    ({ rpc }, more) => rpc.subscriptions.removeSuppressions({ appId, addresses: ["ann@example.com"], ...more }),
    { removed: 0, unknown: 1 },
    ({ rpc }, more) => rpc.subscriptions.removeSuppressions({ appId, addresses: ["none"], ...more }),
  ],
  "SubscriptionService/CreateLink": [
    ({ rpc }, more) => rpc.subscriptions.createLink({ appId, ...BY_ANN, ...more }),
    { url: "", mailHeaders: "" },
    ({ rpc }, more) =>
      rpc.subscriptions.createLink({ appId, ...BY_ANN, contact: { case: "email", value: "no@example.com" }, ...more }),
  ],
  "SubscriptionService/FollowLink": [
    ({ rpc, token }, more) => rpc.subscriptions.followLink({ token, ...more }),
    { appId, purpose: LinkPurpose.UNSUBSCRIBE },
    ({ rpc, token }, more) => rpc.subscriptions.followLink({ token: token.slice(2), ...more }),
  ],
  "SubscriptionService/ImportContacts": [
    ({ rpc }, more) =>
      rpc.subscriptions.importContacts(
        stream(
          { appId, contacts: [{ email: "new@example.com" }, {}], ...more },
          { contacts: [{ phone: "+49151234567" }] },
        ),
      ),
    { accepted: 2, refusedTotal: 1, refused: [{ index: 1, field: "email" }] },
    ({ rpc }, more) =>
      rpc.subscriptions.importContacts(stream({ appId: "none", contacts: [{ email: "a@example.com" }], ...more })),
  ],
};

/** Methods that write and have no `validate_only`, with the reason. */
const WITHOUT: Readonly<Record<string, string>> = {
  "RecommendationService/Recommend": "`preview` answers without writing",
  "RecommendationService/RecommendPage": "`preview` of its request answers without writing",
  "RecommendationService/BatchRecommend": "`preview` of each request answers without writing",
};

const WRITERS = RPC_SERVICES.filter(({ typeName }) => typeName.startsWith("aisle.v1.")).flatMap(({ name, methods }) =>
  methods
    .filter(({ idempotency }) => idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS)
    .map((method) => ({ name: `${name}/${method.name}`, fields: method.input.fields.map((field) => field.name) })),
);

it("every method that writes has validate_only, or a reason why not", () => {
  const without = WRITERS.filter(({ fields }) => !fields.includes("validate_only")).map(({ name }) => name);
  expect(without.sort()).toEqual(Object.keys(WITHOUT).sort());
});

it("every method with validate_only has a case", () => {
  const having = WRITERS.filter(({ fields }) => fields.includes("validate_only")).map(({ name }) => name);
  expect(Object.keys(CASES).sort()).toEqual(having.sort());
});

describe.each(Object.entries(CASES))("%s with validate_only", (_, [call, answer, wrong]) => {
  it("answers without ids and secrets that only the call makes, and changes no byte", async () => {
    const shop = await openFullShop();
    const before = await directoryBytes(shop.directory);
    expect(await call(shop, { validateOnly: true })).toMatchObject(answer);
    await shop.settleOperations();
    expect(await directoryBytes(shop.directory)).toBe(before);
    expect(shop.faults).toEqual([]);
  });

  it("fails as the call itself", async () => {
    const shop = await openFullShop();
    const tried = await failureOf(wrong(shop, { validateOnly: true }));
    expect(tried).toEqual(await failureOf(wrong(shop, { validateOnly: false })));
  });
});

async function failureOf(call: Promise<unknown>) {
  const error = await call.then(
    () => expect.unreachable("the call fails"),
    (cause: unknown) => ConnectError.from(cause),
  );
  return [error.code, error.rawMessage, error.findDetails(ErrorInfoSchema)[0]?.reason];
}

it("a stream is not tried when only a later batch says so: it is refused", async () => {
  const { rpc } = await openFullShop();
  const events = rpc.events.recordEvents(stream({ appId }, { validateOnly: true, events: [keyed] }));
  await expect(events).rejects.toThrow(/invalid_argument.*validate_only/);
});

it("a tried event has the id under its key, and neither counts nor is kept as rejected", async () => {
  const { rpc, keyedEventId, metrics } = await openFullShop();
  const before = [...metrics.counts];
  const known = { appId, event: keyed, idempotencyKey: "known", validateOnly: true };
  expect(await rpc.events.recordEvent(known)).toMatchObject({ eventId: keyedEventId, deduplicated: true });
  await rpc.events.recordEvent({ appId, event: {}, validateOnly: true }).catch(() => undefined);
  expect((await rpc.events.listRejectedEvents({ appId })).rejectedEvents).toHaveLength(1);
  expect([...metrics.counts]).toEqual(before);
});

it("a tried ReplaceCatalog counts products that the feed would show again", async () => {
  const { rpc, now } = await openFullShop();
  const listing = (ids: readonly string[], more: { force?: boolean; validateOnly?: boolean } = {}) =>
    rpc.catalog.replaceCatalog(
      stream({ appId, products: ids.map((productId) => ({ productId, title: productId })), last: true, ...more }),
    );
  now.at += 1000;
  await listing(["p1"], { force: true });
  // p1 is shown, p2 and p3 would be again: one of three is hidden.
  expect(await listing(["p2", "p3"], { validateOnly: true })).toMatchObject({ hidden: 1 });
  expect(await listing(["p2", "p3"])).toMatchObject({ hidden: 1 });
});
