import { setImmediate } from "node:timers/promises";
import type { ServiceImpl } from "@connectrpc/connect";
import { createIdSet } from "../catalog/feed/id-set.js";
import type { FeedSettings } from "../catalog/feed/schedule/feed-settings.js";
import type { HideUnlisted } from "../catalog/hide-unlisted.js";
import type { ProductGroups } from "../catalog/product-groups.js";
import { type FindUnknownProducts, unknownProductKey } from "../catalog/unknown-products.js";
import type { UpdateProduct, UpdateProducts } from "../catalog/update-products.js";
import type { DeleteProduct, UpsertProducts } from "../catalog/write-products.js";
import type { Now } from "../domain/clock.js";
import { check, checkAll, InvalidArgument, NotFound } from "../domain/errors.js";
import {
  CatalogService,
  type ReplaceCatalogRequest,
  type UpsertProductsRequest,
} from "../gen/aisle/v1/catalog_service_pb.js";
import { ProductGroupSchema } from "../gen/aisle/v1/product_group_pb.js";
import { UnknownProductSchema } from "../gen/aisle/v1/unknown_product_pb.js";
import type { Operations } from "../operations/operations.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { ProductStore } from "../store/ports/product-store.js";
import { timestampOf } from "./common-messages.js";
import { guarded, type ReportInternal } from "./errors/errors.js";
import { createFeedHandlers } from "./feed-handlers.js";
import { empty, type Mutation } from "./mutations.js";
import { inMemory, readPage } from "./paging.js";
import { groupMessage, productDraft, productGroup } from "./product-messages.js";
import { productReadHandlers } from "./product-read-handlers.js";
import { productUpdateHandlers } from "./product-update-handlers.js";
import { BulkHead, createRefusals, MAX_BATCH } from "./refused-items.js";
import { requireApp } from "./require-app.js";

/** Maximum ids in one batch of a full feed, and in all batches. */
const MAX_LISTED_IDS = 10_000;
const MAX_CATALOG = 10_000_000;

/** Use cases that take several transactions. */
interface BulkWrites {
  readonly upsertProducts: UpsertProducts;
  readonly updateProducts: UpdateProducts;
  readonly hideUnlisted: HideUnlisted;
}

export interface CatalogServiceDependencies extends BulkWrites {
  /** The same over works that are rolled back. */
  readonly tried: BulkWrites;
  readonly updateProduct: UpdateProduct;
  readonly deleteProduct: DeleteProduct;
  readonly feeds: FeedSettings;
  readonly operations: Pick<Operations, "removeOld">;
  readonly now: Now;
  readonly apps: Pick<AppStore, "get">;
  readonly products: ProductStore;
  /** Returns the number of networks that have sent an unconfirmed product. */
  readonly sightingsOf: (appId: string, productId: string) => Promise<number>;
  readonly groups: ProductGroups;
  /** Whether any product of the app has a title: then untitled ones are not shown. */
  readonly hasTitles: (appId: string) => Promise<boolean>;
  readonly findUnknownProducts: FindUnknownProducts;
  readonly mutation: Mutation;
  readonly report: ReportInternal;
}

export function createCatalogService(deps: CatalogServiceDependencies): ServiceImpl<typeof CatalogService> {
  const { mutation, report } = deps;
  return {
    ...createFeedHandlers(deps),
    ...productUpdateHandlers(deps),

    upsertProducts: guarded(report, async (requests) => {
      const batches = createBatches(deps);
      for await (const request of requests) await batches.take(request, request.fromFeed);
      return batches.answer();
    }),

    replaceCatalog: guarded(report, async (requests) => {
      const batches = createBatches(deps);
      const listed = createIdSet();
      const startedAt = deps.now();
      let force = false;
      let incomplete = false;
      let last = false;
      for await (const request of requests) {
        if (last) throw new InvalidArgument("last", "invalid", "no batch follows the last");
        last = request.last;
        if (request.listedIds.length > MAX_LISTED_IDS)
          throw new InvalidArgument("listed_ids", "invalid", `at most ${MAX_LISTED_IDS} a batch`);
        await batches.take(request, true);
        force ||= request.force;
        incomplete ||= request.incomplete;
        for (const id of request.listedIds) listed.add(id);
        for (const { productId } of request.products) listed.add(productId);
        if (listed.size > MAX_CATALOG)
          throw new InvalidArgument("listed_ids", "invalid", `at most ${MAX_CATALOG} in a stream`);
      }
      const answer = batches.answer();
      const { appId, isTried } = batches.head;
      await requireApp(deps.apps, appId);
      if (!last) throw new InvalidArgument("last", "invalid", "true in the last batch; nothing was hidden");
      const { hidden, unlisted } = await (isTried ? deps.tried : deps).hideUnlisted(appId, {
        listed,
        startedAt,
        force,
        incomplete,
        isTried,
      });
      return { ...answer, hidden, unlisted };
    }),

    ...productReadHandlers(deps),

    listUnknownProducts: guarded(report, async (request) => {
      const { appId } = await requireApp(deps.apps, request.appId);
      const { count, eventsRead, eventsUnknown, products, read } = await deps.findUnknownProducts(appId);
      const { items, nextPageToken } = await readPage(CatalogService.method.listUnknownProducts, request, {
        schema: UnknownProductSchema,
        read,
        keyOf: unknownProductKey,
        message: ({ productId, events, lastAt, meant }) => ({
          productId,
          eventCount: events,
          lastEventTime: timestampOf(lastAt),
          suggestedProductId: meant,
        }),
      });
      return {
        unknownProducts: items,
        nextPageToken,
        totalSize: count,
        readEventCount: eventsRead,
        unknownEventCount: eventsUnknown,
        productCount: products,
      };
    }),

    deleteProduct: mutation(CatalogService.method.deleteProduct, async (request, once) => {
      await requireApp(deps.apps, request.appId);
      if (request.productId === "") throw new InvalidArgument("product_id", "missing");
      return once.change<void>(empty, (change) => deps.deleteProduct(request.appId, request.productId, change));
    }),

    setProductGroup: mutation(CatalogService.method.setProductGroup, async (request, once) => {
      if (request.group === undefined) throw new InvalidArgument("group", "missing");
      const group = productGroup(request.group);
      const answer = () => ({ group: groupMessage(group) });
      return once.change<void>(answer, (change) => deps.groups.set(request.appId, group, request.etag, change));
    }),

    getProductGroup: guarded(report, async ({ appId, groupId }) => {
      checkAll(check(appId !== "", "app_id", "missing"), check(groupId !== "", "group_id", "missing"));
      const group = (await deps.groups.list(appId)).find((one) => one.groupId === groupId);
      if (group === undefined) throw new NotFound("product_group");
      return { group: groupMessage(group) };
    }),

    listProductGroups: guarded(report, async (request) => {
      const groups = await deps.groups.list(request.appId);
      const { items, nextPageToken } = await readPage(CatalogService.method.listProductGroups, request, {
        schema: ProductGroupSchema,
        ...inMemory(groups, ({ groupId }) => groupId),
        message: groupMessage,
      });
      return { groups: items, nextPageToken };
    }),

    deleteProductGroup: mutation(CatalogService.method.deleteProductGroup, async (request, once) =>
      once.change<void>(empty, (change) => deps.groups.remove(request.appId, request.groupId, request.etag, change)),
    ),
  };
}

/** Writes the batches of a bulk call and builds its answer. */
function createBatches(deps: Pick<CatalogServiceDependencies, "upsertProducts" | "tried">) {
  const refusals = createRefusals();
  const head = new BulkHead();
  let index = 0;
  let accepted = 0;
  return {
    head,
    async take(batch: UpsertProductsRequest | ReplaceCatalogRequest, fromFeed: boolean) {
      const { products } = batch;
      head.read(batch);
      if (products.length > MAX_BATCH) throw new InvalidArgument("products", "invalid", `at most ${MAX_BATCH} a batch`);
      if (products.length === 0) return;
      await setImmediate(); // decoding a batch took some milliseconds
      const { upsertProducts } = head.isTried ? deps.tried : deps;
      const refused = await upsertProducts(head.appId, products.map(productDraft), { fromFeed });
      for (const item of refused) refusals.list(index + item.index, item.field, item.reason);
      accepted += products.length - refused.length;
      index += products.length;
    },
    answer() {
      head.mustHaveBatch();
      return { accepted, ...refusals.answer() };
    },
  };
}
