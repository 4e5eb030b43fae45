import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Aisle } from "./app.js";
import { DEMO_APP_ID, DEMO_APP_NAME, demoEvents, demoProducts } from "./demo/demo.js";
import type { Now } from "./domain/clock.js";

const BATCH = 500;
const DAYS = 42;
const SEED = 7;

/**
 * Makes the demo app with its products and visits and trains it, when the store does not have it yet; one that was
 * interrupted is finished. Where the shop answers at another URL than last time, the products are written again with
 * it. Another shop that took the id is left as it is; then this gives false.
 */
export async function setUpDemo(
  { clients, trainer }: Aisle,
  options: { readonly baseUrl: string; readonly now: Now; readonly say: (line: string) => void },
): Promise<boolean> {
  const app = await demoApp(clients);
  if (app !== undefined && app.displayName !== DEMO_APP_NAME) {
    options.say(`aisle: the app ${DEMO_APP_ID} is not the demo shop; it is left as it is`);
    return false;
  }
  const complete = app !== undefined && (await hasModel(clients));
  if (!complete) options.say("aisle: making the demo shop …");
  const { createdAt } =
    app ?? (await clients.apps.createApp({ app: { appId: DEMO_APP_ID, displayName: DEMO_APP_NAME } })).app ?? {};
  const products = demoProducts({ baseUrl: options.baseUrl });
  const isMoved = complete && (await urlOf(clients, products[0]?.productId ?? "")) !== products[0]?.url;
  if (isMoved)
    options.say(`aisle: the pages of the demo shop are at ${options.baseUrl} now, for whoever shares the store`);
  if (!complete || isMoved)
    await clients.catalog.upsertProducts(batches(products, (batch) => ({ appId: DEMO_APP_ID, products: batch })));
  if (complete) return true;
  // The same visits each time: what an interrupted start has stored is not stored again.
  const until = createdAt === undefined ? options.now() : timestampMs(createdAt);
  const events = [...demoEvents({ seed: SEED, until, days: DAYS })];
  await clients.events.recordEvents(
    batches(
      events.map((event, index) => ({ event, key: `demo-${SEED}-${index}` })),
      (batch) => ({
        appId: DEMO_APP_ID,
        events: batch.map(({ event }) => event),
        idempotencyKeys: batch.map(({ key }) => key),
      }),
    ),
  );
  await trainer.train(DEMO_APP_ID, () => undefined);
  return true;
}

async function demoApp({ apps }: Aisle["clients"]) {
  try {
    return (await apps.getApp({ appId: DEMO_APP_ID })).app;
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.NotFound) return undefined;
    throw error;
  }
}

/** Where the product's page is; undefined when the product is not there. */
async function urlOf({ catalog }: Aisle["clients"], productId: string): Promise<string | undefined> {
  try {
    return (await catalog.getProduct({ appId: DEMO_APP_ID, productId })).product?.url;
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.NotFound) return undefined;
    throw error;
  }
}

async function hasModel(clients: Aisle["clients"]): Promise<boolean> {
  const { models } = await clients.models.listModels({ appId: DEMO_APP_ID });
  return models.some((model) => model.active);
}

async function* batches<T, B>(things: readonly T[], batchOf: (things: T[]) => B): AsyncGenerator<B> {
  for (let at = 0; at < things.length; at += BATCH) yield batchOf(things.slice(at, at + BATCH));
}
