import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { app, change, contact, event, product, view, visitor } from "../../contract/samples.js";

/** Events of each app; two small apps lie before and behind a large one. */
const EVENTS = { aaa: 30, shop: 3000, zoo: 30 };
export const APPS = Object.keys(EVENTS);
const AT_ONCE = 200;

/** Makes a store with events, products, visitors, contacts and what belongs to them. Every fiftieth product is large. */
export async function fill(directory: string): Promise<void> {
  const store = await openEmbeddedStore({ directory, now: () => 5 });
  for (const [appId, events] of Object.entries(EVENTS)) {
    await store.apps.create(app(appId));
    for (let from = 0; from < events; from += AT_ONCE) {
      await store.unitOfWork.run(appId, (tx) => {
        for (let n = from; n < Math.min(from + AT_ONCE, events); n++) {
          const eventId = `e${String(n).padStart(6, "0")}`;
          tx.events.put(eventId, event(eventId, { platform: `event ${n} `.repeat(5), extraFields: { n: String(n) } }));
          tx.putInteraction(`v${n - (n % 4)}`, view(n, eventId));
          if (n % 3 === 0) {
            const description = "It is large. ".repeat(n % 50 === 0 ? 500 : 8);
            tx.products.put(`p${n}`, product(`p${n}`, { sku: `s${n}`, title: `Product ${n}`, description }));
          }
          if (n % 4 !== 0) continue;
          tx.visitors.put(`v${n}`, visitor(`v${n}`, { keys: [`c:${n}`] }));
          tx.visitorKeys.put(`c:${n}`, `v${n}`);
          tx.contacts.put(`k${n}`, contact(`k${n}`, { email: `a${n}@b.de`, phone: "" }));
          tx.contactKeys.put(`e:a${n}@b.de`, `k${n}`);
          const changeId = `n${String(n / 4 + 1).padStart(12, "0")}`;
          tx.changes.put(changeId, change(changeId, `k${n}`));
        }
      });
    }
  }
  await store.close();
}
