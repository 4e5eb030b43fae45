import { describe, expect, it } from "vitest";
import { load } from "../../bench/open-loop/load.js";
import { rpcClients, startServer } from "../fixtures/server.js";
import { serverStoreKinds } from "../fixtures/server-stores.js";

const SECONDS = 3;

interface Scrape {
  readonly acknowledged: number;
  readonly stored: number;
  readonly deduplicated: number;
}

async function scrape(rpcUrl: string): Promise<Scrape> {
  const text = await (await fetch(`${rpcUrl}/metrics`)).text();
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^aisle_events_${name}_total(?:\\{[^}]*\\})? (\\d+)$`, "gm"))].reduce(
      (all, [, count]) => all + Number(count),
      0,
    );
  return { acknowledged: sum("acknowledged"), stored: sum("stored"), deduplicated: sum("deduplicated") };
}

/** Views, retries of them, keys used for something else, and what is refused. */
const BODIES = Array.from({ length: 400 }, (_, n) => {
  const fields = { app_id: "shop", action_type: "product_view", product_ids: `p${n % 7}`, c_id: `c${n % 50}` };
  const form = new URLSearchParams(n % 11 === 0 ? { ...fields, product_ids: "" } : fields);
  if (n % 3 === 0) form.set("idempotency_key", `key-${n % 30}`);
  return form.toString();
});

describe.each(await serverStoreKinds())("acknowledged events under load on $name", ({ env, newStore }) => {
  it.each([
    ["all in time", env],
    ["many too late", { ...env, AISLE_ANSWER_MS: "50" }],
  ])("are counted as often as stored and deduplicated ones, at every scrape: %s", async (_name, settings) => {
    const server = await startServer({ store: await newStore(), env: settings });
    const { apps, events } = rpcClients(server.rpcUrl);
    await apps.createApp({ app: { appId: "shop" } });
    const before = await scrape(server.rpcUrl);
    const url = `${server.facadeUrl}/trace`;
    let isOver = false;
    const loading = load({ url, bodies: BODIES, connections: 64, seconds: SECONDS }).finally(() => {
      isOver = true;
    });
    const bulk = events.recordEvents(
      (async function* () {
        for (let n = 0; n < 10; n++)
          yield {
            appId: "shop",
            events: [{ actionType: "search_query" }, { actionType: "" }],
            idempotencyKeys: [`bulk-${n % 4}`, ""],
          };
      })(),
    );
    const scrapes: Scrape[] = [];
    while (!isOver) scrapes.push(await scrape(server.rpcUrl));
    const { statuses } = await loading;
    const { accepted, deduplicated } = await bulk.catch(() => ({ accepted: 0, deduplicated: 0 }));
    for (const { acknowledged, stored, deduplicated: known } of scrapes) expect(acknowledged).toBe(stored + known);
    const after = await scrape(server.rpcUrl);
    expect(after.acknowledged).toBe(after.stored + after.deduplicated);
    expect(after.acknowledged - before.acknowledged).toBe((statuses[200] ?? 0) + Number(accepted + deduplicated));
    expect(scrapes.length).toBeGreaterThan(3);
    expect(statuses[400]).toBeGreaterThan(0);
  });
});
