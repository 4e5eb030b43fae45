import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { app, change, contact, event, frame, model, pointer, product, view, visitor } from "../../contract/samples.js";

export const FLIPPED_APP = "shop";
/** Events; of everything else there is less. */
export const FLIPPED_ROWS = 120;

/** Makes a small store with something in many tables, and a snapshot. */
export async function fillSmall(directory: string): Promise<void> {
  const store = await openEmbeddedStore({ directory, now: () => 5 });
  await store.apps.create(app(FLIPPED_APP));
  await store.unitOfWork.run(FLIPPED_APP, (tx) => {
    tx.frames.write(frame("f1"));
    for (let n = 0; n < FLIPPED_ROWS; n++) {
      const eventId = `e${String(n).padStart(6, "0")}`;
      tx.events.put(eventId, event(eventId, { platform: `event ${n} `.repeat(5), extraFields: { n: String(n) } }));
      tx.putInteraction(`v${n - (n % 4)}`, view(n, eventId));
      tx.idempotency.put(`key ${n}`, { eventId, bodyHash: `${n}`, claimedAt: 5 });
      if (n % 3 === 0) {
        const description = "It is large. ".repeat(n % 60 === 0 ? 500 : 8);
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
  const bytes = new Uint8Array(Buffer.from("a snapshot ".repeat(100)));
  await store.models.put(FLIPPED_APP, model("m1", bytes), [bytes]);
  await store.models.setPointer(FLIPPED_APP, () => pointer("m1", "v1"));
  await store.close();
}
