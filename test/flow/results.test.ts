/**
 * Visitors over 12 days whose truth is known: who saw which list when, who clicked, who ordered, and what was cancelled or
 * paid back. Their events arrive late, twice, under several ids and across kills of the process. Every figure of the report
 * has to be the truth's.
 */
import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/learning/common/random.js";
import { wireAisle } from "../fixtures/aisle.js";
import { RUNS, seed as runSeed } from "../fixtures/runs.js";
import { testIds } from "../fixtures/store.js";
import { storeKinds } from "../fixtures/stores.js";
import { DAY_MS, inShort, openResultShop } from "../results/result-shop.js";

const stores = await storeKinds();
const DAYS = 12;
const FRAME = "home";
const MINUTE_MS = 60_000;
/** Of an experiment of the simulation, by when it starts. */
const EXPERIMENTS = [
  { day: 2, variants: split(1, 1) },
  { day: 4, variants: split(1, 3) },
  { day: 7, variants: [] },
  { day: 8, variants: split(1, 1) },
];

function split(plain: number, varied: number) {
  return [
    { name: "plain", weight: plain },
    { name: "varied", weight: varied, diversity: 0.4 },
  ];
}

type Ids = Readonly<{ clientId?: string; fingerprintId?: string; userId?: string }>;

/** What a person was shown and did, in truth. */
interface Truth {
  readonly lists: { readonly at: number; readonly group: string }[];
  /** By the answer and the product, when it was clicked. */
  readonly clicks: Map<string, { readonly at: number; readonly group: string }[]>;
  readonly orders: { readonly at: number; amount: number; isCancelled: boolean }[];
}

interface Counts {
  answers: number;
  visitors: number;
  clicked: number;
  clicks: number;
  ordered: number;
  readonly afterClick: number[];
  readonly other: number[];
}

function nothing(): Counts {
  return { answers: 0, visitors: 0, clicked: 0, clicks: 0, ordered: 0, afterClick: [], other: [] };
}

/** Adds what one person is to a report; `group` "" for all of the frame. */
function addPerson(counts: Counts, { lists, clicks, orders }: Truth, group: string): void {
  const seen = lists.filter((list) => group === "" || list.group === group);
  counts.answers += seen.length;
  if (seen.length === 0) return;
  counts.visitors++;
  const clicked = [...clicks.values()].map((all) => all.filter((one) => group === "" || one.group === group));
  const times = clicked.flat().map(({ at }) => at);
  counts.clicks += clicked.filter((all) => all.length > 0).length;
  counts.clicked += times.length > 0 ? 1 : 0;
  let isOrdering = false;
  for (const { at, amount, isCancelled } of orders) {
    const seenBefore = [...lists, ...[...clicks.values()].flat()].sort((a, b) => a.at - b.at);
    const last = seenBefore.filter((one) => one.at <= at && at - one.at < 7 * DAY_MS).at(-1);
    if (isCancelled || last === undefined || (group !== "" && last.group !== group)) continue;
    isOrdering = true;
    const isAfterClick = times.some((click) => click <= at && at - click < 7 * DAY_MS);
    (isAfterClick ? counts.afterClick : counts.other).push(amount);
  }
  if (isOrdering) counts.ordered++;
}

function toldOf({ answers, visitors, clicked, clicks, ordered, afterClick, other }: Counts): string {
  const sales = (amounts: readonly number[]) =>
    amounts.length === 0 ? "0" : `${amounts.length} for ${amounts.reduce((a, b) => a + b, 0)}.00 EUR`;
  const people = `${answers} answers, ${visitors} visitors, ${clicked} clicked by ${clicks} clicks`;
  return `${people}, ${ordered} ordered; after a click ${sales(afterClick)}; other ${sales(other)}`;
}

/** Runs one simulation; the report, and the truth in the same words. */
async function simulate(openStore: Parameters<typeof openResultShop>[0], seed: number, visitors: number) {
  const shop = await openResultShop(openStore);
  const { now, setFrame } = shop;
  const next = createRandom(seed);
  const random = { next, chance: (share: number) => next() < share };
  const between = (least: number, most: number) => least + Math.floor(random.next() * (most - least + 1));
  const start = Math.ceil(now.at / DAY_MS) * DAY_MS;
  const todo: { readonly at: number; readonly run: () => Promise<void> }[] = [];
  const plan = (at: number, run: () => Promise<void>) => todo.push({ at, run });
  // The process that answers; a kill replaces it, and what it had in memory is gone.
  const newId = testIds();
  const begin = () => wireAisle(shop.store, { now, newId });
  let aisle = begin();
  const sendEvent = (event: object) => aisle.clients.events.recordEvent({ appId: "shop", event: event });
  let experiment = 0;
  for (const { day, variants } of EXPERIMENTS)
    plan(start + day * DAY_MS, async () => {
      await setFrame({ variants, includeViewed: true, includeBought: true });
      if (day !== 4) experiment = day;
      now.at += 11_000;
      aisle = begin();
    });
  const truths = Array.from({ length: visitors }, (_, n): Truth => {
    const truth: Truth = { lists: [], clicks: new Map(), orders: [] };
    const ids = { clientId: `c${n}`, fingerprintId: `v${n}`, ...(random.chance(0.4) && { userId: `u${n}` }) };
    const some = (): Ids => {
      const names = Object.entries(ids).filter(() => random.chance(0.5));
      return Object.fromEntries(names.length === 0 ? Object.entries(ids).slice(0, 1) : names);
    };
    const answers: { readonly requestId: string; readonly productIds: string[]; readonly group: string }[] = [];
    let at = start + between(0, 6 * DAY_MS);
    const late = () => (random.chance(0.3) ? between(1, 2 * DAY_MS) : between(0, 2000));
    for (let step = 0; step < 8 && at < start + DAYS * DAY_MS - 1; step++, at += between(MINUTE_MS, 3 * DAY_MS)) {
      const when = at;
      const kind = random.next();
      const visitor = some();
      if (kind < 0.45) {
        plan(when, async () => {
          const asked = { appId: "shop", frameId: FRAME, visitor, trackClicks: true };
          const { requestId, recommended, variant } = await aisle.clients.recommendations.recommend(asked);
          await aisle.writeFrameCounts();
          const group = variant === "" ? "none" : `${experiment} ${variant}`;
          truth.lists.push({ at: now.at, group });
          answers.push({ requestId, productIds: recommended.map(({ productId }) => productId), group });
        });
      } else if (kind < 0.65) {
        const delay = late();
        const isRepeated = random.chance(0.3);
        const pick = random.next();
        plan(when, async () => {
          const answer = answers[Math.floor(pick * answers.length)];
          const productId = answer?.productIds[0];
          if (answer === undefined || productId === undefined) return;
          const clickedAt = now.at;
          const key = `${answer.requestId} ${productId}`;
          truth.clicks.set(key, [...(truth.clicks.get(key) ?? []), { at: clickedAt, group: answer.group }]);
          const event = {
            ...{ actionType: "product_view", visitor, products: [{ productId }] },
            ...{ recommendationIds: [answer.requestId], eventTime: timestamp(clickedAt) },
          };
          for (const later of isRepeated ? [delay, late()] : [delay])
            plan(clickedAt + later, async () => void (await sendEvent(event)));
        });
      } else {
        const orderId = `o${n}-${step}`;
        const order = { at: when, amount: between(1, 200), isCancelled: random.chance(0.2) };
        const refunded = random.chance(0.2) ? between(0, order.amount) : undefined;
        truth.orders.push(order);
        const copies = between(1, 3);
        for (let copy = 0; copy < copies; copy++) {
          const payment = { amount: String(order.amount), currency: copy === 1 ? "eur" : "EUR" };
          const event = {
            ...{ actionType: "order", visitor: copy === 0 ? visitor : some(), products: [{ productId: "d" }] },
            ...{ order: { orderId, payment, status: copy === 2 ? "shipped" : "" } },
            // A later copy tells its own time.
            eventTime: timestamp(copy === 2 ? when + DAY_MS : when),
          };
          plan(when + (copy === 2 ? DAY_MS + late() : late()), async () => void (await sendEvent(event)));
        }
        if (order.isCancelled)
          plan(when + late(), async () => {
            await sendEvent({ actionType: "order_cancel", order: { orderId } });
          });
        else if (refunded !== undefined)
          plan(when + 4 * DAY_MS, async () => {
            const payment = { amount: String(refunded), currency: "EUR" };
            const event = { actionType: "order", visitor, products: [{ productId: "d" }], order: { orderId, payment } };
            await sendEvent({ ...event, eventTime: timestamp(now.at) });
            order.amount = refunded;
          });
      }
    }
    // In the end at the latest one event names all ids together.
    plan(start + between(6 * DAY_MS, 17 * DAY_MS), async () => {
      await sendEvent({ actionType: "homepage_view", visitor: ids });
    });
    return truth;
  });
  for (let kill = 0; kill < 10; kill++)
    plan(start + between(0, DAYS * DAY_MS), async () => {
      aisle = begin();
    });
  while (todo.length > 0) {
    todo.sort((a, b) => b.at - a.at);
    const next = todo.pop()!;
    now.at = Math.max(now.at + 1, next.at);
    await next.run();
  }
  const { frames } = await aisle.clients.apps.getFrameReport({ appId: "shop", frameId: FRAME });
  const { total, variants, days } = frames[0]!;
  const expected = nothing();
  for (const truth of truths) addPerson(expected, truth, "");
  const groups = ["8 plain", "8 varied", "2 plain", "2 varied"];
  const expectedOf = (group: string) => {
    const counts = nothing();
    for (const truth of truths) addPerson(counts, truth, group);
    return `${group}: ${toldOf(counts)}`;
  };
  return {
    told: [
      inShort(total!),
      ...variants.map(({ variant, results }, i) => `${groups[i]?.split(" ")[0]} ${variant}: ${inShort(results!)}`),
      days.reduce((sum, { results }) => sum + results!.visitorCount, 0),
    ],
    expected: [toldOf(expected), ...groups.map(expectedOf), expected.visitors],
  };
}

function timestamp(at: number) {
  return { seconds: BigInt(Math.floor(at / 1000)), nanos: (at % 1000) * 1e6 };
}

describe.each(stores)("the results of visitors whose truth is known: $name", ({ name, openStore }) => {
  const isFull = process.env.AISLE_RESULTS === "full";
  const runs = name !== "embedded" ? 1 : isFull ? 50 : RUNS.few / 4;
  const visitors = isFull ? 400 : 60;

  it.each(Array.from({ length: runs }, (_, n) => runSeed() + n))(
    "are the truth in every figure, seed %i",
    async (seed) => {
      const { told, expected } = await simulate(openStore, seed, visitors);
      expect(told).toEqual(expected);
    },
    600_000,
  );
});
