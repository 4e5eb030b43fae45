import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, type DescMethod, type DescMethodUnary, isMessage, toBinary } from "@bufbuild/protobuf";
import { createRouterTransport } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  CatalogService,
  ListProductsRequestSchema,
  ListProductsResponseSchema,
} from "../../src/gen/aisle/v1/catalog_service_pb.js";
import { ProductSchema } from "../../src/gen/aisle/v1/product_pb.js";
import { inMemory, PAGE_BYTES, readPage } from "../../src/services/paging.js";
import { RPC_SERVICES } from "../../src/services/telemetry/rpc-methods.js";
import { openEmbeddedStore } from "../../src/store/lmdb/store.js";
import { openAisle } from "../fixtures/aisle.js";

const APP = "shop";
const OTHER = "other";
const METHODS = RPC_SERVICES.filter(({ typeName }) => typeName.startsWith("aisle."))
  .flatMap(({ methods }): DescMethod[] => methods)
  .filter((method): method is DescMethodUnary => method.methodKind === "unary" && method.name.startsWith("List"));
const LISTS = METHODS.map((method) => [method.name, method] as const);

type Aisle = Awaited<ReturnType<typeof openAisle>>;
let aisle: Aisle;
let close = async () => {};
let call: (method: DescMethodUnary, request: Record<string, unknown>) => Promise<{ items: unknown[]; token: string }>;

/** Fields of a request besides its app and its page. */
const REQUIRED: Readonly<Record<string, Record<string, string>>> = { ListFrameVersions: { frameId: "f2" } };

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), "aisle-test-"));
  aisle = await openAisle((now) => openEmbeddedStore({ directory, now }));
  close = async () => {
    await aisle.store.close();
    await rm(directory, { recursive: true, force: true });
  };
  const transport = createRouterTransport((router) => aisle.routes(router));
  call = async (method, request) => {
    const answer = await transport.unary(method, undefined, undefined, undefined, create(method.input, request));
    const items = method.output.fields.find(({ fieldKind }) => fieldKind === "list");
    const found: unknown = Reflect.get(answer.message, items?.localName ?? "");
    return {
      items: Array.isArray(found) ? found : [],
      token: String(Reflect.get(answer.message, "nextPageToken")),
    };
  };
  for (const appId of [APP, OTHER]) await fill(aisle, appId);
});

afterAll(() => close());

/** At least three items of most lists. */
async function fill({ rpc: { apps, catalog, events, subscriptions } }: Aisle, appId: string): Promise<void> {
  await apps.createApp({ app: { appId } });
  await apps.createApp({ app: { appId: `${appId}-2` } });
  for (const n of [1, 2, 3]) {
    await apps.setFrameConfiguration({ appId, frameConfiguration: { frameId: `f${n}` } });
    await apps.setFrameConfiguration({ appId, frameConfiguration: { frameId: "f2", recommendedCount: n } });
    if (n < 3) await apps.createSigningSecret({ appId });
    const feed = { feedId: `f${n}`, url: "https://shop.example/", interval: { seconds: 3600n } };
    await catalog.setFeed({ appId, feed });
    await catalog.setProductGroup({ appId, group: { groupId: `g${n}`, tags: ["t"] } });
    const event = { actionType: "product_view", visitor: { clientId: "c" }, products: [{ productId: `unknown${n}` }] };
    await events.recordEvent({ appId, event, publicSender: { network: "203.0.113.0/24" } });
    await expect(events.recordEvent({ appId, event: {} })).rejects.toThrow();
    await subscriptions.setSubscription({ appId, email: `${n}@shop.example`, emailState: 2 });
    await subscriptions.addSuppressions({ appId, addresses: [`${n}@left.example`] });
  }
  async function* products() {
    yield { appId, products: ["a", "b", "c"].map((productId) => ({ productId })) };
  }
  await catalog.upsertProducts(products());
}

function requestOf(method: DescMethod, appId: string): Record<string, unknown> {
  return { ...(method.input.field.appId && { appId }), ...REQUIRED[method.name] };
}

/** What generated pagers do: ask until the token is empty. */
async function allOf(method: DescMethodUnary, request: Record<string, unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  let pageToken = "";
  for (let pages = 0; pages < 100; pages++) {
    const { items, token } = await call(method, { ...request, pageToken });
    found.push(...items);
    if (token === "") return found;
    pageToken = token;
  }
  throw new Error("the list does not end");
}

describe("every list", () => {
  it("has the fields of paged lists", () => {
    expect(METHODS.length).toBeGreaterThan(12);
    for (const { name, input, output } of METHODS) {
      expect(
        input.fields.map((field) => field.name),
        name,
      ).toEqual(expect.arrayContaining(["page_size", "page_token"]));
      expect(
        output.fields.filter(({ fieldKind }) => fieldKind === "list"),
        name,
      ).toHaveLength(1);
      expect(
        output.fields.map((field) => field.name),
        name,
      ).toContain("next_page_token");
    }
  });

  it.each(LISTS)("%s ends, and its pages of one item have the same items as one page", async (_, method) => {
    const request = requestOf(method, APP);
    const [single, whole] = [await allOf(method, { ...request, pageSize: 1 }), await allOf(method, request)];
    expect(single.length).toBe(whole.length);
    expect(single).toEqual(whole);
    expect(whole.every((item) => isMessage(item))).toBe(true);
  });

  it("has items in this test, but for those that need more than calls", async () => {
    const empty: string[] = [];
    for (const method of METHODS) if ((await allOf(method, requestOf(method, APP))).length < 2) empty.push(method.name);
    expect(empty).toEqual(["ListFailedMessages", "ListModels", "ListOperations", "ListErasures"]);
  });

  it.each(LISTS)("%s refuses the token of another method", async (_, method) => {
    const other = METHODS.find((one) => one !== method && one.name === "ListProducts") ?? METHODS[0];
    if (other === undefined || other === method) return;
    const { token } = await call(other, { appId: APP, pageSize: 1 });
    expect(token).not.toBe("");
    const request = { ...requestOf(method, APP), pageToken: token };
    await expect(call(method, request)).rejects.toThrow(/invalid_argument.*page_token/);
  });

  it.each(LISTS.filter(([, { input }]) => input.field.appId))(
    "%s refuses the token of another app",
    async (_, method) => {
      const { token } = await call(method, { ...requestOf(method, APP), pageSize: 1 });
      if (token === "") return;
      const request = { ...requestOf(method, OTHER), pageToken: token };
      await expect(call(method, request)).rejects.toThrow(/invalid_argument.*page_token/);
    },
  );

  it("refuses the token of another filter, and takes it with another page size", async () => {
    const { events } = aisle.rpc;
    const { nextPageToken: pageToken } = await events.listEvents({ appId: APP, pageSize: 1 });
    const ask = (more: object) => events.listEvents({ appId: APP, pageToken, ...more });
    await expect(ask({ newestFirst: true })).rejects.toThrow(/invalid_argument.*page_token/);
    await expect(ask({ visitor: { clientId: "c" } })).rejects.toThrow(/invalid_argument.*page_token/);
    await expect(ask({ pageToken: "nonsense" })).rejects.toThrow(/invalid_argument.*page_token/);
    await expect(ask({ pageToken: `${pageToken}A` })).rejects.toThrow(/invalid_argument.*page_token/);
    expect((await ask({ pageSize: 7 })).events).toHaveLength(2);
  });
});

describe("a list of events", () => {
  it("has no token when its last page is full", async () => {
    const { events } = aisle.rpc;
    for (const newestFirst of [false, true]) {
      const whole = await events.listEvents({ appId: APP, pageSize: 3, newestFirst });
      expect(whole.events).toHaveLength(3);
      expect(whole.nextPageToken).toBe("");
    }
    const visitor = { clientId: "c" };
    const filtered = await events.listEvents({ appId: APP, pageSize: 3, visitor });
    expect([filtered.events.length, filtered.nextPageToken]).toEqual([3, ""]);
  });
});

describe("a list of frames", () => {
  it("has the default frame first and once, whether it was written or not", async () => {
    const { apps } = aisle.rpc;
    const appId = "frames";
    await apps.createApp({ app: { appId } });
    for (const frameId of ["a", "z"]) await apps.setFrameConfiguration({ appId, frameConfiguration: { frameId } });
    const method = METHODS.find(({ name }) => name === "ListFrameConfigurations");
    if (method === undefined) throw new Error("there is no such method");
    const ids = async (pageSize: number) =>
      (await allOf(method, { appId, pageSize })).map((frame) => Reflect.get(Object(frame), "frameId"));
    expect(await ids(1)).toEqual(["default", "a", "z"]);
    await apps.setFrameConfiguration({ appId, frameConfiguration: { frameId: "default", recommendedCount: 3 } });
    for (const size of [1, 2, 3, 0]) expect(await ids(size)).toEqual(["default", "a", "z"]);
  });
});

describe("a page", () => {
  const shelf = (sizes: readonly number[]) => sizes.map((size, n) => ({ id: `p${100 + n}`, size }));
  const read = (sizes: readonly number[], pageToken = "") =>
    readPage(CatalogService.method.listProducts, create(ListProductsRequestSchema, { pageSize: 1000, pageToken }), {
      schema: ProductSchema,
      ...inMemory(shelf(sizes), ({ id }) => id),
      message: ({ id, size }) => ({ productId: id, description: "x".repeat(size) }),
    });

  it("ends before its items reach 3 MiB", async () => {
    const sizes = Array<number>(100).fill(100_000);
    const counts: number[] = [];
    for (let token = ""; counts.length === 0 || token !== ""; ) {
      const { items, nextPageToken } = await read(sizes, token);
      expect(
        toBinary(ListProductsResponseSchema, create(ListProductsResponseSchema, { products: items })).byteLength,
      ).toBeLessThan(PAGE_BYTES);
      counts.push(items.length);
      token = nextPageToken;
    }
    expect(counts).toEqual([31, 31, 31, 7]);
  });

  it("has a larger item alone", async () => {
    const sizes = [10, PAGE_BYTES + 1, 10];
    const counts: number[] = [];
    for (let token = ""; counts.length === 0 || token !== ""; ) {
      const { items, nextPageToken } = await read(sizes, token);
      counts.push(items.length);
      token = nextPageToken;
    }
    expect(counts).toEqual([1, 1, 1]);
  });
});
