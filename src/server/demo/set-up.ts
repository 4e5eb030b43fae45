import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Now } from "../../domain/clock.js";
import { Unavailable } from "../../domain/errors.js";
import type { Aisle } from "../app.js";
import { DEMO_APP_ID, DEMO_APP_NAME, demoProducts } from "./catalogue.js";
import { demoFrames } from "./frames.js";
import { demoEvents } from "./visits.js";

const PRODUCTS_AT_ONCE = 500;
/**
 * A call takes more events while the store keeps up, because each call waits for the disk. A slow database gets few, so
 * that it stores them within the deadline of a call.
 */
const EVENTS_AT_ONCE = { fewest: 100, most: 1000 } as const;
const CALL_MS = 500;
const TRIES = 20;
const PAUSE_MS = 1000;

/**
 * Makes the demo app with its products and visits and trains it, unless the store has it. Finishes an interrupted
 * set-up. When the shop's URL has changed, writes the products again.
 * @returns false when another shop has the id; that shop stays unchanged
 */
export async function setUpDemo(
  { clients, trainer, writePastResults }: Aisle,
  options: {
    readonly baseUrl: string;
    readonly now: Now;
    readonly say: (line: string) => void;
    readonly pause: (ms: number) => Promise<unknown>;
  },
): Promise<boolean> {
  /** Every step can be repeated: products are overwritten, and each event has an idempotency key. */
  const step = async <T>(take: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await take();
      } catch (error) {
        if (!isPassing(error) || tries === TRIES) throw error;
        await options.pause(PAUSE_MS);
      }
    }
  };
  const app = await step(() => demoApp(clients));
  if (app !== undefined && app.displayName !== DEMO_APP_NAME) {
    options.say(`aisle: the app ${DEMO_APP_ID} is not the demo shop; it is left as it is`);
    return false;
  }
  const complete = app !== undefined && (await step(() => hasModel(clients)));
  if (!complete) options.say("aisle: making the demo shop …");
  const { createTime: createdAt } = app ?? (await step(() => madeApp(clients))) ?? {};
  const products = demoProducts({ baseUrl: options.baseUrl });
  const isMoved = complete && (await step(() => urlOf(clients, products[0]?.productId ?? ""))) !== products[0]?.url;
  if (isMoved)
    options.say(`aisle: the pages of the demo shop are at ${options.baseUrl} now, for whoever shares the store`);
  if (!complete || isMoved)
    for (const batch of batches(products, PRODUCTS_AT_ONCE))
      await step(() => clients.catalog.upsertProducts(once({ appId: DEMO_APP_ID, products: batch })));
  if (complete) return true;
  // The same visits and keys each time, so a repeated set-up stores no visit twice.
  const until = createdAt === undefined ? options.now() : timestampMs(createdAt);
  const events = demoEvents(until).map((event, index) => ({ event, key: `demo-visit-${index}` }));
  for (let from = 0, size: number = EVENTS_AT_ONCE.fewest; from < events.length; ) {
    const batch = events.slice(from, from + size);
    const message = {
      appId: DEMO_APP_ID,
      events: batch.map(({ event }) => event),
      idempotencyKeys: batch.map(({ key }) => key),
    };
    const begunAt = performance.now();
    await step(() => clients.events.recordEvents(once(message)));
    from += batch.length;
    const isQuick = performance.now() - begunAt < CALL_MS;
    size = isQuick ? Math.min(2 * size, EVENTS_AT_ONCE.most) : EVENTS_AT_ONCE.fewest;
  }
  const { versions, tallies } = demoFrames(until);
  await step(() => writePastResults(DEMO_APP_ID, versions, tallies));
  options.say("aisle: training it …");
  await step(() => trainer.train(DEMO_APP_ID, () => undefined));
  return true;
}

/** The store did not answer; a retry may succeed. */
function isPassing(error: unknown): boolean {
  return error instanceof Unavailable || (error instanceof ConnectError && error.code === Code.Unavailable);
}

/** The demo app, made now unless an earlier call whose answer was lost has made it. */
async function madeApp(clients: Aisle["clients"]) {
  const app = { appId: DEMO_APP_ID, displayName: DEMO_APP_NAME };
  return (await demoApp(clients)) ?? (await clients.apps.createApp({ app })).app;
}

async function demoApp({ apps }: Aisle["clients"]) {
  try {
    return (await apps.getApp({ appId: DEMO_APP_ID })).app;
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.NotFound) return undefined;
    throw error;
  }
}

/** The URL of the product's page; undefined when there is no such product. */
async function urlOf({ catalog }: Aisle["clients"], productId: string): Promise<string | undefined> {
  try {
    return (await catalog.getProduct({ appId: DEMO_APP_ID, product: { case: "productId", value: productId } })).product
      ?.url;
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.NotFound) return undefined;
    throw error;
  }
}

async function hasModel(clients: Aisle["clients"]): Promise<boolean> {
  const { models } = await clients.models.listModels({ appId: DEMO_APP_ID });
  return models.some((model) => model.active);
}

function* batches<T>(things: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < things.length; at += size) yield things.slice(at, at + size);
}

async function* once<M>(message: M): AsyncGenerator<M> {
  yield message;
}
