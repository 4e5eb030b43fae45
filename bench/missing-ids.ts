import { openEmbeddedStore } from "../src/adapters/embedded/store.js";

/** How many of these event ids the app does not have in the embedded store of this directory. */
export async function missingIds(directory: string, appId: string, ids: ReadonlySet<string>): Promise<number> {
  const store = await openEmbeddedStore({ directory, now: Date.now, readOnly: true });
  const missing = new Set(ids);
  for (let from = ""; ; ) {
    const events = await store.events.list(appId, from, 1000, false);
    for (const { eventId } of events) missing.delete(eventId);
    from = events.at(-1)?.eventId ?? from;
    if (events.length < 1000) break;
  }
  await store.close();
  return missing.size;
}
