import { openAisle, wireAisle } from "../fixtures/aisle.js";

export const DAY_MS = 86_400_000;

type Ids = Readonly<{ clientId?: string; fingerprintId?: string; userId?: string }>;

/** A shop with the frame `home`, and short words for what its visitors and its backend do. */
export async function openResultShop(openStore?: Parameters<typeof openAisle>[0]) {
  const aisle = await openAisle(openStore);
  const { rpc, facade, now } = aisle;
  await rpc.apps.createApp({ app: { appId: "shop" } });
  const feed = async function* () {
    yield { appId: "shop", products: ["a", "b", "c", "d"].map((id) => ({ productId: id, title: id })) };
  };
  await rpc.catalog.upsertProducts(feed());
  const setFrame = (more: object = {}) =>
    rpc.apps.setFrameConfiguration({
      appId: "shop",
      frameConfiguration: { frameId: "home", recommendedCount: 2, ...more },
    });
  await setFrame();
  const report = async (frameId = "home") => {
    const { frames } = await rpc.apps.getFrameReport({ appId: "shop", frameId });
    return frames[0]!;
  };
  return {
    ...aisle,
    setFrame,
    report,
    /** A list as a page asks for it; returns the answer's id. */
    async list(ids: Readonly<{ cId?: string; fpccid?: string }>, more: object = {}): Promise<string> {
      const payload = {
        ...{ appId: "shop", productInteractions: [], trackClicks: true },
        ...{ marketingMachineFrameConfigurationId: "home", ...ids, ...more },
      };
      const answer = await facade.inject({ method: "POST", url: "/recommend", payload });
      return answer.json<{ recommendationId?: string }>().recommendationId ?? "";
    },
    /** A list as another service asks for it. */
    async listByRpc(visitor: Ids): Promise<string> {
      const asked = { appId: "shop", frameId: "home", visitor, trackClicks: true };
      return (await rpc.recommendations.recommend(asked)).requestId;
    },
    /** An event of a browser. `at`: when its sender says that it happened. */
    async send(
      action_type: string,
      fields: Readonly<Record<string, string>>,
      at = 0,
      from = "127.0.0.1",
    ): Promise<void> {
      const time = at === 0 ? {} : { utc_time: new Date(at).toISOString() };
      const { status } = await aisle.trace(
        {
          ...{ app_id: "shop", action_type, product_ids: action_type === "order" ? "d" : "a" },
          ...{ ...time, ...fields },
        },
        from,
      );
      if (status !== 200) throw new Error(`/trace answered ${status}`);
    },
    /** A copy of an order, or its cancellation, as the shop's backend sends it. */
    async shopSends(
      actionType: string,
      orderId: string,
      visitor: Ids,
      {
        amount,
        currency = "EUR",
        at = 0,
        ...order
      }: { amount?: string; currency?: string; at?: number; status?: string } = {},
    ): Promise<void> {
      const payment = amount === undefined ? {} : { payment: { amount, currency } };
      const time = at === 0 ? {} : { eventTime: { seconds: BigInt(Math.floor(at / 1000)), nanos: (at % 1000) * 1e6 } };
      const products = actionType === "order" ? [{ productId: "a" }] : [];
      await rpc.events.recordEvent({
        appId: "shop",
        event: { actionType, visitor, products, order: { orderId, ...order, ...payment }, ...time },
      });
    },
    /** The report in short: `3 answers, 2 visitors, 1 clicked by 2 clicks, 1 ordered; after a click 1 for 9.00 EUR; other 0`. */
    async told(): Promise<string> {
      return inShort((await report()).total!);
    },
    /** The same by variants, the running experiment first. */
    async toldByVariant(): Promise<string[]> {
      return (await report()).variants.map(({ variant, results }) => `${variant}: ${inShort(results!)}`);
    },
    /** Another process over the same store, as after this one was killed. */
    async reportOfAnother(): Promise<string> {
      const other = wireAisle(aisle.store, { now });
      const { frames } = await other.clients.apps.getFrameReport({ appId: "shop", frameId: "home" });
      return inShort(frames[0]!.total!);
    },
  };
}

type Report = Awaited<ReturnType<Awaited<ReturnType<typeof openAisle>>["rpc"]["apps"]["getFrameReport"]>>;
type Results = NonNullable<Report["frames"][number]["total"]>;

export function inShort(results: Results): string {
  const { exposureCount, visitorCount, clickedVisitorCount, clickCount, orderingVisitorCount } = results;
  const sales = (list: Results["salesAfterClick"]) =>
    list.length === 0
      ? "0"
      : list
          .map(({ orderCount, revenue }) =>
            revenue === undefined ? `${orderCount}` : `${orderCount} for ${revenue.amount} ${revenue.currency}`.trim(),
          )
          .join(" + ");
  return [
    `${exposureCount} answers, ${visitorCount} visitors, ${clickedVisitorCount} clicked by ${clickCount} clicks`,
    `${orderingVisitorCount} ordered; after a click ${sales(results.salesAfterClick)}`,
    `other ${sales(results.salesWithoutClick)}`,
  ]
    .join("; ")
    .replace("clicks; ", "clicks, ");
}
