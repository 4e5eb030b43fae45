import { randomUUID } from "node:crypto";
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, createClient, createContextValues, createRouterTransport } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import {
  AppService,
  ExportAppRequestSchema,
  type ExportAppResponse,
  ExportAppResponseSchema,
  ExportKind,
} from "../../src/gen/aisle/v1/app_service_pb.js";
import { CatalogService } from "../../src/gen/aisle/v1/catalog_service_pb.js";
import { EventService } from "../../src/gen/aisle/v1/event_service_pb.js";
import { SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { SubscriptionService } from "../../src/gen/aisle/v1/subscription_service_pb.js";
import { createUuids } from "../../src/server/uuids.js";
import { DRAINING } from "../../src/services/calls/draining.js";
import { shuttingDown } from "../../src/services/errors/error-info.js";
import { exportApp } from "../../src/services/export-app.js";
import { wireAisle } from "../fixtures/aisle.js";
import { NOON, testClock } from "../fixtures/store.js";
import { storeKinds } from "../fixtures/stores.js";

const stores = await storeKinds();
const appId = "shop";
const PRODUCTS = 220;
const EVENTS = 120;

type Request = MessageInitShape<typeof ExportAppRequestSchema>;

describe.each(stores)("ExportApp: $name", ({ openStore }) => {
  async function openShop() {
    const now = testClock();
    const store = await openStore(now);
    const aisle = wireAisle(store, { now, newId: createUuids({ now, randomUuid: randomUUID }) });
    const transport = createRouterTransport((router) => aisle.routes(router));
    const apps = createClient(AppService, transport);
    const events = createClient(EventService, transport);
    const subscriptions = createClient(SubscriptionService, transport);
    await apps.createApp({ app: { appId } });
    /** Stores events of 32 kB, each of another visitor, with an order and an address. */
    const record = async (count: number, first = 0) => {
      const texts = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, name.repeat(8000)]));
      for (let n = first; n < first + count; n++)
        await events.recordEvent({
          appId,
          event: {
            actionType: "order",
            visitor: { clientId: `c${n}` },
            contact: { email: `ann${n}@example.com` },
            order: { orderId: `o${n}` },
            products: [{ productId: `p${n}`, quantity: 1 }],
            extraFields: texts,
          },
        });
    };
    const read = async (request: Request = {}) => {
      const messages: ExportAppResponse[] = [];
      for await (const message of apps.exportApp({ appId, ...request })) messages.push(message);
      return messages;
    };
    return { aisle, transport, store, now, apps, events, subscriptions, record, read };
  }

  /** A shop with more events than a message takes. */
  async function openFullShop() {
    const shop = await openShop();
    await createClient(CatalogService, shop.transport).upsertProducts(
      (async function* () {
        yield {
          appId,
          products: Array.from({ length: PRODUCTS }, (_, n) => ({ productId: `p${n}`, title: `P ${n}` })),
        };
      })(),
    );
    await shop.record(EVENTS);
    for (const n of [1, 2, 3])
      await shop.subscriptions.setSubscription({
        appId,
        email: `ann${n}@example.com`,
        emailState: SubscriptionState.SUBSCRIBED,
      });
    return shop;
  }

  const idsOf = (messages: readonly ExportAppResponse[]) => ({
    products: messages.flatMap(({ products }) => products.map(({ productId }) => productId)),
    contacts: messages.flatMap(({ contacts }) => contacts.map(({ contactId }) => contactId)),
    changes: messages.flatMap(({ subscriptionChanges }) => subscriptionChanges.map(({ changeId }) => changeId)),
    visitors: messages.flatMap(({ visitors }) => visitors.map(({ visitorId }) => visitorId)),
    orders: messages.flatMap(({ orders }) => orders.map(({ orderId }) => orderId)),
    events: messages.flatMap(({ events }) => events.map(({ eventId }) => eventId)),
  });

  async function storedIds({ store }: Awaited<ReturnType<typeof openShop>>) {
    const keys = async (table: "products" | "contacts" | "changes" | "visitors" | "orders" | "events") =>
      (await store.copies.scan(appId, table, "", 1000)).map(({ key }) => key);
    return {
      products: await keys("products"),
      contacts: await keys("contacts"),
      changes: await keys("changes"),
      visitors: await keys("visitors"),
      orders: await keys("orders"),
      events: await keys("events"),
    };
  }

  it("sends every record once, kind by kind, in messages of about 1 MiB at most", async () => {
    const shop = await openFullShop();
    const messages = await shop.read();
    const ids = idsOf(messages);
    expect(ids).toEqual(await storedIds(shop));
    expect(Object.values(ids).map((list) => list.length)).toEqual([PRODUCTS, EVENTS, 3, EVENTS, EVENTS, EVENTS]);
    const kinds = messages.map(({ kind }) => kind);
    expect(kinds).toEqual([...kinds].sort((a, b) => a - b));
    expect(kinds.filter((kind) => kind === ExportKind.EVENTS).length).toBeGreaterThan(2);
    for (const message of messages)
      expect(toBinary(ExportAppResponseSchema, message).byteLength).toBeLessThan(2 ** 20 + 10_000);
  });

  it("loses no record and sends none twice when it is resumed after each message", async () => {
    const shop = await openFullShop();
    const messages: ExportAppResponse[] = [];
    for (let resumeToken = "", isMore = true; isMore; ) {
      isMore = false;
      for await (const message of shop.apps.exportApp({ appId, resumeToken })) {
        messages.push(message);
        resumeToken = message.resumeToken;
        isMore = true;
        break;
      }
    }
    expect(messages.length).toBeGreaterThan(6);
    expect(idsOf(messages)).toEqual(await storedIds(shop));
  });

  it("sends the kinds that are asked for, and events of a time", async () => {
    const shop = await openShop();
    await shop.record(1);
    shop.now.at = NOON + 60_000;
    await shop.record(2, 1);
    shop.now.at = NOON + 120_000;
    await shop.record(1, 3);
    const all = (await shop.events.listEvents({ appId })).events.map(({ eventId }) => eventId);
    const found = async (request: Request) => idsOf(await shop.read({ kinds: [ExportKind.EVENTS], ...request }));
    const startTime = timestampFromMs(NOON + 60_000);
    const endTime = timestampFromMs(NOON + 120_000);
    expect(await found({ startTime })).toMatchObject({ events: all.slice(1), products: [], orders: [] });
    expect((await found({ endTime })).events).toEqual(all.slice(0, 3));
    expect((await found({ startTime, endTime })).events).toEqual(all.slice(1, 3));
    const kinds = [ExportKind.ORDERS, ExportKind.CONTACTS];
    expect((await shop.read({ kinds, startTime })).map(({ kind }) => kind)).toEqual([
      ExportKind.CONTACTS,
      ExportKind.ORDERS,
    ]);
  });

  it("rejects the token of another request, an unknown kind and an end before the start", async () => {
    const shop = await openShop();
    await shop.record(1);
    const [first] = await shop.read();
    const resumeToken = first?.resumeToken ?? "";
    await expect(shop.read({ kinds: [ExportKind.EVENTS], resumeToken })).rejects.toThrow(/resume_token/);
    await expect(shop.read({ resumeToken: "AAAA" })).rejects.toThrow(/resume_token/);
    await expect(shop.read({ kinds: [ExportKind.UNSPECIFIED] })).rejects.toThrow(/invalid_argument.*kinds/);
    const time = timestampFromMs(NOON);
    await expect(shop.read({ startTime: time, endTime: time })).rejects.toThrow(/invalid_argument.*end_time/);
    await expect(shop.read({ appId: "none" })).rejects.toThrow(/not_found/);
  });

  it("reads no further than its reader, and ends with UNAVAILABLE when the server begins to stop", async () => {
    const { store, now, record } = await openShop();
    await record(EVENTS);
    let reads = 0;
    const copies: Pick<typeof store.copies, "scan"> = {
      scan: (...args) => {
        reads++;
        return store.copies.scan(...args);
      },
    };
    const draining = new AbortController();
    const stream = exportApp(
      { apps: store.apps, copies, hasTitles: async () => false, now },
      create(ExportAppRequestSchema, { appId, kinds: [ExportKind.EVENTS] }),
      {
        signal: new AbortController().signal,
        values: createContextValues().set(DRAINING, draining.signal),
      },
    );
    expect((await stream.next()).value?.events?.length).toBeLessThan(EVENTS / 2);
    expect(reads).toBe(1);
    draining.abort(shuttingDown());
    await expect(async () => {
      while (!(await stream.next()).done);
    }).rejects.toMatchObject({ code: Code.Unavailable });
  });
});
