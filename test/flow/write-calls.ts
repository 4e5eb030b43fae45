import type { MessageInitShape } from "@bufbuild/protobuf";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { expect } from "vitest";
import type { AppSchema } from "../../src/gen/aisle/v1/app_pb.js";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import { CatalogService } from "../../src/gen/aisle/v1/catalog_service_pb.js";
import { EventService } from "../../src/gen/aisle/v1/event_service_pb.js";
import { HookService } from "../../src/gen/aisle/v1/hook_service_pb.js";
import { LinkPurpose } from "../../src/gen/aisle/v1/link_pb.js";
import { ModelService } from "../../src/gen/aisle/v1/model_service_pb.js";
import { OperationService } from "../../src/gen/aisle/v1/operation_service_pb.js";
import { PrivacyService } from "../../src/gen/aisle/v1/privacy_service_pb.js";
import { RecommendationService } from "../../src/gen/aisle/v1/recommendation_service_pb.js";
import { SubscriptionChannel, SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { SubscriptionService } from "../../src/gen/aisle/v1/subscription_service_pb.js";
import type { Store } from "../../src/store/ports/store.js";
import type { wireAisle } from "../fixtures/aisle.js";
import { erased, trained } from "../fixtures/operations.js";
import { makeShop } from "../fixtures/small-shop.js";

/** Clients of one server that go through bytes. */
export function clientsOf(aisle: ReturnType<typeof wireAisle>) {
  const transport = createRouterTransport((router) => aisle.routes(router));
  return {
    apps: createClient(AppService, transport),
    catalog: createClient(CatalogService, transport),
    events: createClient(EventService, transport),
    hooks: createClient(HookService, transport),
    models: createClient(ModelService, transport),
    operations: createClient(OperationService, transport),
    privacy: createClient(PrivacyService, transport),
    recommendations: createClient(RecommendationService, transport),
    subscriptions: createClient(SubscriptionService, transport),
  };
}

export type Rpc = ReturnType<typeof clientsOf>;

/** Where a case runs: an app of its own, a server to prepare and check by, and the store below it. */
export interface Place {
  readonly appId: string;
  readonly rpc: Rpc;
  readonly store: Store;
  /** What `prepare` found out, for `call`. */
  readonly known: string[];
}

/** A call that writes, made many times at once in one app. */
export interface WriteCase {
  readonly prepare?: (place: Place) => Promise<unknown>;
  /** Call number `n`, by a server that need not be the one of `prepare`. */
  readonly call: (rpc: Rpc, place: Place, n: number) => Promise<unknown>;
  /** How many of the calls are acknowledged: all of them, unless only one can be. */
  readonly acknowledged?: "one" | "some";
  /** Asserts that what was acknowledged is there: the numbers of these calls. */
  readonly check: (place: Place, acknowledged: readonly number[]) => Promise<void>;
}

async function* once<T>(message: T) {
  yield message;
}

const numbers = (text: readonly string[]) => text.map(Number).sort((a, b) => a - b);
const group = (n: number) => ({ groupId: `g${n}`, tags: [`t${n}`] });
const feed = (n: number) => ({ feedId: `f${n}`, url: `https://shop.example/${n}.xml`, interval: { seconds: 3600n } });
const contactOf = (appId: string, who: string) => `${who}@${appId}.example`;
const BY_EMAIL = SubscriptionChannel.EMAIL;

/** One field each, so that all of them are seen at the end. */
const FIELDS: readonly { readonly path: string; readonly app: MessageInitShape<typeof AppSchema> }[] = [
  { path: "display_name", app: { displayName: "New" } },
  { path: "allowed_origins", app: { allowedOrigins: ["https://new.example"] } },
  { path: "double_opt_in", app: { doubleOptIn: true } },
  { path: "learned_after_visitors", app: { learnedAfterVisitors: 9 } },
  { path: "privacy.retention", app: { privacy: { retention: { seconds: 99n * 86_400n } } } },
];

const makeContact = (who: string) => (place: Place) =>
  place.rpc.subscriptions.setSubscription({
    appId: place.appId,
    email: contactOf(place.appId, who),
    emailState: SubscriptionState.SUBSCRIBED,
  });

const linkTo = (rpc: Rpc, appId: string, who: string) =>
  rpc.subscriptions.createLink({
    appId,
    contact: { case: "email", value: contactOf(appId, who) },
    purpose: LinkPurpose.UNSUBSCRIBE,
    channel: BY_EMAIL,
  });

const tokenOf = (url: string) => url.slice(url.lastIndexOf("/") + 1);

const listed = async ({ rpc, appId }: Place, field: string): Promise<number[]> => {
  const { events } = await rpc.events.listEvents({ appId, pageSize: 1000 });
  return numbers(events.flatMap(({ extraFields }) => extraFields[field] ?? []));
};

const usedVersions = async ({ store, appId }: Place) => (await store.models.pointer(appId))?.usedVersions ?? [];

/** A case for each RPC that writes, by its name. */
export const WRITE_CASES: Readonly<Record<string, WriteCase>> = {
  "AppService/CreateApp": {
    call: (rpc, { appId }, n) => rpc.apps.createApp({ app: { appId: `${appId}-new`, displayName: `by ${n}` } }),
    acknowledged: "one",
    check: async ({ rpc, appId }, [n]) => {
      expect((await rpc.apps.getApp({ appId: `${appId}-new` })).app?.displayName).toBe(`by ${n}`);
    },
  },
  "AppService/UpdateApp": {
    call: (rpc, { appId }, n) => {
      const { path, app } = FIELDS[n % FIELDS.length]!;
      return rpc.apps.updateApp({ app: { ...app, appId }, updateMask: { paths: [path] } });
    },
    check: async ({ rpc, appId }) => {
      expect((await rpc.apps.getApp({ appId })).app).toMatchObject(Object.assign({}, ...FIELDS.map(({ app }) => app)));
    },
  },
  "AppService/CreateSigningSecret": {
    call: async (rpc, { appId, known }) => {
      const { signingSecret } = await rpc.apps.createSigningSecret({ appId, replaceOldest: true });
      known.push(signingSecret?.secretId ?? "");
    },
    check: async ({ rpc, appId, known }) => {
      const { signingSecrets } = await rpc.apps.listSigningSecrets({ appId });
      expect(signingSecrets).toHaveLength(2);
      expect(known).toEqual(expect.arrayContaining(signingSecrets.map(({ secretId }) => secretId)));
    },
  },
  "AppService/DeleteApp": {
    prepare: ({ rpc, appId }) => makeShop(rpc, `${appId}-old`),
    call: (rpc, { appId }) => rpc.apps.deleteApp({ appId: `${appId}-old` }),
    acknowledged: "one",
    check: async ({ store, appId }) => expect(await store.apps.get(`${appId}-old`)).toBeUndefined(),
  },
  "AppService/SetFrameConfiguration": {
    call: (rpc, { appId }, n) =>
      rpc.apps.setFrameConfiguration({ appId, frameConfiguration: { frameId: "home", title: String(n) } }),
    check: async ({ rpc, appId }, acknowledged) => {
      const { versions } = await rpc.apps.listFrameVersions({ appId, frameId: "home" });
      expect(numbers(versions.map(({ frameConfiguration }) => frameConfiguration?.title ?? ""))).toEqual(acknowledged);
    },
  },
  "AppService/DeleteFrameConfiguration": {
    prepare: ({ rpc, appId }) => rpc.apps.setFrameConfiguration({ appId, frameConfiguration: { frameId: "side" } }),
    call: (rpc, { appId }) => rpc.apps.deleteFrameConfiguration({ appId, frameId: "side" }),
    acknowledged: "one",
    check: async ({ rpc, appId }) => {
      const { versions } = await rpc.apps.listFrameVersions({ appId, frameId: "side" });
      expect(versions.map(({ deleted }) => deleted)).toEqual([true, false]);
    },
  },
  "CatalogService/UpsertProducts": {
    call: (rpc, { appId }, n) => rpc.catalog.upsertProducts(once({ appId, products: [{ productId: `u${n}` }] })),
    check: async ({ rpc, appId }, acknowledged) => {
      for (const n of acknowledged)
        await rpc.catalog.getProduct({ appId, product: { case: "productId", value: `u${n}` } });
    },
  },
  "CatalogService/ReplaceCatalog": {
    call: (rpc, { appId }, n) =>
      rpc.catalog.replaceCatalog(once({ appId, products: [{ productId: `r${n}` }], last: true })),
    check: async ({ rpc, appId }, acknowledged) => {
      for (const n of acknowledged)
        await rpc.catalog.getProduct({ appId, product: { case: "productId", value: `r${n}` } });
    },
  },
  "CatalogService/SetFeed": {
    call: (rpc, { appId }, n) => rpc.catalog.setFeed({ appId, feed: feed(n % 10) }),
    check: async ({ rpc, appId }, acknowledged) => {
      const ids = (await rpc.catalog.listFeeds({ appId })).feeds.map(({ feedId }) => feedId);
      expect(ids).toEqual(expect.arrayContaining(acknowledged.map((n) => `f${n % 10}`)));
    },
  },
  "CatalogService/DeleteFeed": {
    prepare: ({ rpc, appId }) => rpc.catalog.setFeed({ appId, feed: { ...feed(0), feedId: "old" } }),
    call: (rpc, { appId }) => rpc.catalog.deleteFeed({ appId, feedId: "old" }),
    acknowledged: "one",
    check: async ({ rpc, appId }) => {
      const { feeds } = await rpc.catalog.listFeeds({ appId });
      expect(feeds.map(({ feedId }) => feedId)).not.toContain("old");
    },
  },
  "CatalogService/RunFeed": {
    prepare: ({ rpc, appId }) => rpc.catalog.setFeed({ appId, feed: { ...feed(0), feedId: "run", full: true } }),
    call: (rpc, { appId }) => rpc.catalog.runFeed({ appId, feedId: "run", force: true }),
    check: async ({ store, appId }) => {
      expect((await store.feeds.list(appId)).find(({ feedId }) => feedId === "run")?.forced).toBe(true);
    },
  },
  "CatalogService/UpdateProduct": {
    prepare: ({ rpc, appId }) =>
      rpc.catalog.upsertProducts(once({ appId, products: [{ productId: "u", title: "U" }] })),
    call: (rpc, { appId }, n) => rpc.catalog.updateProduct({ appId, product: { productId: "u", brand: `b${n}` } }),
    check: async ({ store, appId }) => {
      const product = await store.products.get(appId, "u");
      expect([product?.title, product?.brand.slice(0, 1)]).toEqual(["U", "b"]);
    },
  },
  "CatalogService/UpdateProducts": {
    call: (rpc, { appId }, n) =>
      rpc.catalog.updateProducts({
        appId,
        updates: [{ product: { productId: `m${n}`, title: "M" }, allowMissing: true }],
      }),
    check: async ({ store, appId }, acknowledged) => {
      for (const n of acknowledged) expect((await store.products.get(appId, `m${n}`))?.title).toBe("M");
    },
  },
  "CatalogService/DeleteProduct": {
    prepare: ({ rpc, appId }) => rpc.catalog.upsertProducts(once({ appId, products: [{ productId: "gone" }] })),
    call: (rpc, { appId }) => rpc.catalog.deleteProduct({ appId, productId: "gone" }),
    check: async ({ store, appId }) => expect(await store.products.get(appId, "gone")).toBeUndefined(),
  },
  "CatalogService/SetProductGroup": {
    call: (rpc, { appId }, n) => rpc.catalog.setProductGroup({ appId, group: group(n) }),
    check: async ({ store, appId }, acknowledged) => {
      const ids = (await store.apps.get(appId))?.groups.map(({ groupId }) => groupId);
      expect(ids).toEqual(expect.arrayContaining(acknowledged.map((n) => `g${n}`)));
    },
  },
  "CatalogService/DeleteProductGroup": {
    prepare: async ({ rpc, appId }) => {
      for (let n = 0; n < 20; n++) await rpc.catalog.setProductGroup({ appId, group: group(100 + n) });
    },
    call: (rpc, { appId }, n) => rpc.catalog.deleteProductGroup({ appId, groupId: `g${100 + n}` }),
    check: async ({ store, appId }, acknowledged) => {
      const ids = (await store.apps.get(appId))?.groups.map(({ groupId }) => groupId) ?? [];
      expect(acknowledged.filter((n) => ids.includes(`g${100 + n}`))).toEqual([]);
    },
  },
  "AppService/DeleteSigningSecret": {
    prepare: async ({ rpc, appId, known }) => {
      known[0] = (await rpc.apps.createSigningSecret({ appId })).signingSecret?.secretId ?? "";
    },
    call: (rpc, { appId, known }) => rpc.apps.deleteSigningSecret({ appId, secretId: known[0] ?? "" }),
    acknowledged: "one",
    check: async ({ rpc, appId }) => {
      expect((await rpc.apps.listSigningSecrets({ appId })).signingSecrets).toEqual([]);
    },
  },
  "EventService/RecordEvent": {
    call: (rpc, { appId }, n) =>
      rpc.events.recordEvent({
        appId,
        event: { actionType: "other", visitor: { clientId: "same" }, extraFields: { one: String(n) } },
      }),
    check: async (place, acknowledged) => expect(await listed(place, "one")).toEqual(acknowledged),
  },
  "EventService/RecordEvents": {
    call: (rpc, { appId }, n) =>
      rpc.events.recordEvents(
        once({
          appId,
          events: [{ actionType: "other", visitor: { clientId: "same" }, extraFields: { bulk: String(n) } }],
        }),
      ),
    check: async (place, acknowledged) => expect(await listed(place, "bulk")).toEqual(acknowledged),
  },
  "EventService/BatchRecordEvents": {
    call: (rpc, { appId }, n) =>
      rpc.events.batchRecordEvents({
        appId,
        events: [{ actionType: "other", visitor: { clientId: "same" }, extraFields: { batch: String(n) } }],
      }),
    check: async (place, acknowledged) => expect(await listed(place, "batch")).toEqual(acknowledged),
  },
  "EventService/ReplayRejectedEvents": {
    prepare: async ({ store, appId, known, rpc }) => {
      await rpc.events.recordEvent({ appId, event: { actionType: "product_view" } }).catch(() => undefined);
      const rejected = async () => (await store.rejectedEvents.list(appId, "", 1))[0]?.rejectedId;
      await expect.poll(rejected).toBeDefined();
      known[0] = (await rejected()) ?? "";
    },
    call: (rpc, { appId, known }) =>
      rpc.events.replayRejectedEvents({
        appId,
        rejectedEventIds: [known[0] ?? ""],
        correctedEvent: { actionType: "other", extraFields: { replay: "1" } },
      }),
    check: async (place) => expect(await listed(place, "replay")).toEqual([1]),
  },
  "HookService/SetHook": {
    call: async (rpc, { appId, known }, n) => {
      const { etag } = await rpc.hooks.setHook({ appId, url: `https://shop.example/${n}` });
      known.push(etag);
    },
    check: async ({ rpc, appId, known }) => expect(known).toContain((await rpc.hooks.getHook({ appId })).etag),
  },
  "HookService/DeleteHook": {
    prepare: ({ rpc, appId }) => rpc.hooks.setHook({ appId, url: "https://shop.example/old" }),
    call: (rpc, { appId }) => rpc.hooks.deleteHook({ appId }),
    acknowledged: "one",
    check: async ({ store, appId }) => expect((await store.hooks.secrets(appId))?.hook).toBeNull(),
  },
  "HookService/ResendMessages": {
    prepare: ({ store, appId }) =>
      store.unitOfWork.run(appId, (tx) =>
        tx.deadHooks.put("dead", {
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
        }),
      ),
    call: (rpc, { appId }) => rpc.hooks.resendMessages({ appId, messageIds: ["dead"] }),
    check: async ({ store, appId }) => {
      expect(
        (await store.hooks.due(appId, Number.MAX_SAFE_INTEGER - 1, 100)).map(({ messageId }) => messageId),
      ).toEqual(["dead"]);
    },
  },
  "ModelService/TrainModel": {
    prepare: ({ rpc, appId }) => rpc.events.recordEvents(once({ appId, events: VISITS })),
    call: async (rpc, { appId, known }) => {
      const { result } = await trained(rpc, appId);
      if (result.case === "model") known.push(result.value.modelId);
    },
    acknowledged: "some",
    check: async ({ store, appId, known }, acknowledged) => {
      expect(known).toHaveLength(acknowledged.length);
      const kept = (await store.models.list(appId)).map(({ modelId }) => modelId);
      expect(kept).toEqual(expect.arrayContaining(known.slice(-1)));
    },
  },
  "ModelService/ActivateModel": {
    prepare: async ({ rpc, appId, known }) => {
      await rpc.events.recordEvents(once({ appId, events: VISITS }));
      for (let n = 0; n < 2; n++) await trained(rpc, appId);
      known.push(...(await rpc.models.listModels({ appId })).models.map(({ modelId }) => modelId));
    },
    call: (rpc, { appId, known }, n) => rpc.models.activateModel({ appId, modelId: known[n % 2] ?? "" }),
    // The version before the first model, two of trainings, and one of each call.
    check: async (place, acknowledged) => {
      const versions = await usedVersions(place);
      expect(new Set(versions).size).toBeGreaterThanOrEqual(3 + acknowledged.length);
    },
  },
  "ModelService/SetModelHold": {
    prepare: async ({ rpc, appId }) => {
      await rpc.events.recordEvents(once({ appId, events: VISITS }));
      await trained(rpc, appId);
    },
    call: (rpc, { appId }) => rpc.models.setModelHold({ appId, held: true }),
    check: async ({ store, appId }) => {
      expect((await store.models.pointer(appId))?.isHeld).toBe(true);
    },
  },
  "OperationService/CancelOperation": {
    prepare: async ({ rpc, appId, known }) => {
      await rpc.events.recordEvents(once({ appId, events: VISITS }));
      known.push((await trained(rpc, appId)).operationId);
    },
    call: (rpc, { appId, known }) => rpc.operations.cancelOperation({ appId, operationId: known[0] ?? "" }),
    check: async ({ store, appId, known }) => {
      expect((await store.operations.get(appId, known[0] ?? ""))?.state).toBe("succeeded");
    },
  },
  "PrivacyService/EraseVisitor": {
    prepare: makeContact("erased"),
    call: (rpc, { appId }) => erased(rpc, appId, { email: contactOf(appId, "erased") }),
    check: async ({ rpc, appId }) => {
      const gone = rpc.subscriptions.getContact({
        appId,
        contact: { case: "email", value: contactOf(appId, "erased") },
      });
      await expect(gone).rejects.toThrow(/not_found/);
    },
  },
  "SubscriptionService/AddSuppressions": {
    call: (rpc, { appId }, n) =>
      rpc.subscriptions.addSuppressions({ appId, addresses: [contactOf(appId, "left"), `left${n}@shop.example`] }),
    check: async ({ rpc, appId }, acknowledged) => {
      const { suppressions } = await rpc.subscriptions.listSuppressions({ appId, pageSize: 1000 });
      expect(suppressions.length).toBeGreaterThan(acknowledged.length);
    },
  },
  "SubscriptionService/RemoveSuppressions": {
    call: (rpc, { appId }) =>
      rpc.subscriptions.removeSuppressions({ appId, addresses: [contactOf(appId, "returned")] }),
    check: async ({ rpc, appId }) => {
      const address = contactOf(appId, "returned");
      const again = await rpc.subscriptions.removeSuppressions({ appId, addresses: [address] });
      expect(again).toMatchObject({ removed: 0, unknown: 1 });
    },
  },
  "SubscriptionService/SetSubscription": {
    call: (rpc, { appId }, n) =>
      rpc.subscriptions.setSubscription({
        appId,
        email: contactOf(appId, "set"),
        emailState: SubscriptionState.SUBSCRIBED,
        visitor: { clientId: `s${n}` },
      }),
    check: async ({ rpc, appId }, acknowledged) => {
      for (const n of acknowledged)
        expect(await rpc.subscriptions.getStatus({ appId, visitor: { clientId: `s${n}` } })).toMatchObject({
          identified: true,
        });
    },
  },
  "SubscriptionService/CreateLink": {
    prepare: makeContact("linked"),
    call: async (rpc, { appId, known }) => known.push(tokenOf((await linkTo(rpc, appId, "linked")).url)),
    check: async ({ rpc, known }) => {
      for (const token of known) await rpc.subscriptions.getLink({ token });
    },
  },
  "SubscriptionService/FollowLink": {
    prepare: async (place) => {
      await makeContact("follows")(place);
      place.known[0] = tokenOf((await linkTo(place.rpc, place.appId, "follows")).url);
    },
    call: (rpc, { known }) => rpc.subscriptions.followLink({ token: known[0] ?? "" }),
    check: async ({ rpc, appId }) => {
      const { contact } = await rpc.subscriptions.getContact({
        appId,
        contact: { case: "email", value: contactOf(appId, "follows") },
      });
      expect(contact?.emailState).toBe(SubscriptionState.UNSUBSCRIBED);
    },
  },
  "SubscriptionService/ImportContacts": {
    call: (rpc, { appId }, n) =>
      rpc.subscriptions.importContacts(once({ appId, contacts: [{ email: contactOf(appId, `i${n}`) }] })),
    check: async ({ rpc, appId }, acknowledged) => {
      for (const n of acknowledged)
        await rpc.subscriptions.getContact({ appId, contact: { case: "email", value: contactOf(appId, `i${n}`) } });
    },
  },
};

/** RPCs that are not marked NO_SIDE_EFFECTS, because they cost a lot, and write nothing. */
export const WRITES_NOTHING: readonly string[] = ["ModelService/EvaluateModel"];

/** RPCs that write beside their answer, best effort: no answer says that something is stored. */
export const WRITES_BESIDE: readonly string[] = [
  "RecommendationService/Recommend",
  "RecommendationService/RecommendPage",
  "RecommendationService/BatchRecommend",
];

const VISITS = Array.from({ length: 30 }, (_, n) => ({
  actionType: "order",
  visitor: { clientId: `v${n}` },
  products: [
    { productId: "p1", title: "One" },
    { productId: `p${2 + (n % 3)}`, title: "Other" },
  ],
  order: { orderId: `o${n}` },
}));
