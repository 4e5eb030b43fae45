import { openStore, type StoreLocation } from "../src/server/open-store.js";

/** How many of these event ids the app does not have in the store at this location. */
export async function missingIds(location: StoreLocation, appId: string, ids: ReadonlySet<string>): Promise<number> {
  const store = await openStore(location, { now: Date.now, readOnly: true, answerMs: 60_000 });
  const missing = new Set(ids);
  const page = 1000;
  for (let from = ""; ; ) {
    const events = await store.events.list(appId, from, page, false);
    for (const { eventId } of events) missing.delete(eventId);
    from = events.at(-1)?.eventId ?? from;
    if (events.length < page) break;
  }
  await store.close();
  return missing.size;
}
