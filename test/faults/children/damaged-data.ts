import type { Event } from "../../../src/domain/event.js";
import type { VisitorHistory } from "../../../src/domain/interaction.js";
import type { Product } from "../../../src/domain/product.js";
import { event, product, view } from "../../contract/samples.js";

/** What the store holds that is then damaged; all of it follows from numbers. */
export const APP = "shop";
export const EVENTS = 1000;
export const VISITORS = 100;
const VIEWS = 20;

export function storedEvent(n: number): Event {
  const text = `event ${n} `.repeat(5);
  return event(`e${String(n).padStart(6, "0")}`, { occurredAt: n, platform: text, extraFields: { n: String(n) } });
}

export function storedProduct(n: number): Product {
  return product(`p${n}`, { sku: `s${n}`, title: `Product ${n}`, description: `It has the number ${n}. `.repeat(4) });
}

/** Undefined for a number that no visitor has. */
export function storedHistory(n: number): VisitorHistory | undefined {
  if (!(n >= 0 && n < VISITORS)) return undefined;
  const interactions = Array.from({ length: VIEWS }, (_, i) => {
    const at = n * VIEWS + i;
    return view(at, storedEvent(at % EVENTS).eventId, [`p${i}`, `p${n}`]);
  });
  return { visitorId: `v${String(n).padStart(4, "0")}`, interactions };
}
