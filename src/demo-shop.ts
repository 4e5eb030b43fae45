import type { Aisle } from "./app.js";
import { DEMO_APP_ID, DEMO_APP_NAME, demoEvents, demoProducts } from "./demo/demo.js";
import type { Now } from "./domain/clock.js";

const BATCH = 500;
const DAYS = 42;
const SEED = 7;

/**
 * Makes the demo app with its products and visits and trains it, when the store does not have it yet. Where the shop
 * answers at another URL than last time, the products are written again with it.
 */
export async function setUpDemo(
  { clients, trainer }: Aisle,
  options: { readonly baseUrl: string; readonly now: Now; readonly say: (line: string) => void },
): Promise<void> {
  const products = demoProducts({ baseUrl: options.baseUrl });
  const known = await firstProduct(clients, products[0]?.productId ?? "");
  if (known?.url === products[0]?.url && (await hasModel(clients))) return;
  if (known === undefined) {
    options.say("aisle: making the demo shop …");
    const { apps } = await clients.apps.listApps({ pageSize: 1000 });
    if (!apps.some((app) => app.appId === DEMO_APP_ID))
      await clients.apps.createApp({ app: { appId: DEMO_APP_ID, displayName: DEMO_APP_NAME } });
  }
  await clients.catalog.upsertProducts(batches(products, (batch) => ({ appId: DEMO_APP_ID, products: batch })));
  if (known === undefined) {
    const events = [...demoEvents({ seed: SEED, until: options.now(), days: DAYS })];
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
  }
  await trainer.train(DEMO_APP_ID, () => undefined);
}

async function firstProduct(clients: Aisle["clients"], productId: string) {
  try {
    return (await clients.catalog.getProduct({ appId: DEMO_APP_ID, productId })).product;
  } catch {
    return undefined; // neither the app nor its products are there
  }
}

async function hasModel(clients: Aisle["clients"]): Promise<boolean> {
  const { models } = await clients.models.listModels({ appId: DEMO_APP_ID });
  return models.some((model) => model.active);
}

async function* batches<T, B>(things: readonly T[], batchOf: (things: T[]) => B): AsyncGenerator<B> {
  for (let at = 0; at < things.length; at += BATCH) yield batchOf(things.slice(at, at + BATCH));
}
