/** Bodies in the forms of shared/bench's `lua/post.lua`, of visitors that come once. */

export const APP = "shop-0001";
const PRODUCTS = 40;
/** Visitors of one pass. A machine that answers more in a pass meets the first of them again. */
const VISITORS = 40_000;
const INTERACTIONS = 20;
/** Visitors that view a product before recommendations show it. */
const TEACHERS = 5;

let visitor = 0;

/** Fresh visitors, each with a view of two of the products in eight fields. */
export function traceForms(): string[] {
  return Array.from({ length: VISITORS }, () => traceForm(visitor++));
}

/** Fresh visitors, each with 20 interactions and a product page. */
export function questions(): string[] {
  return Array.from({ length: VISITORS }, () => question(visitor++));
}

/** Events that make all products known. */
export function teachingForms(): string[] {
  return Array.from({ length: PRODUCTS * TEACHERS }, () => traceForm(visitor++));
}

const idOf = (n: number) => String(1 + (n % PRODUCTS));
const hex = (n: number) => (n % 2 ** 32).toString(16).padStart(8, "0");

function traceForm(n: number): string {
  return new URLSearchParams({
    app_id: APP,
    action_type: "product_view",
    product_ids: `${idOf(n)},${idOf(n + 7)}`,
    fpcid: `fp-${hex(n * 2_654_435)}${hex(n)}`,
    event_uid: `${hex(1_795_000_000)}-${String(n).padStart(6, "0")}`,
    page_url: `https://shop.example/p/blue-widget-${n}?utm_source=newsletter&utm_campaign=autumn`,
    page_title: `Blue widget no ${n}`,
    referrer: "https://search.example/",
  }).toString();
}

function question(n: number): string {
  const productInteractions = Array.from({ length: INTERACTIONS }, (_, k) => ({
    productInteractionType: "product_view",
    productId: idOf(n * 31 + k),
    productSku: idOf(n * 31 + k),
    utcInteractionDate: `2026-11-20T10:${String(k + 1).padStart(2, "0")}:00.000Z`,
  }));
  return JSON.stringify({
    appId: APP,
    productInteractions,
    currentProductIds: idOf(n),
    cId: `c-${n}`,
    fpccid: `fp-${hex(n)}`,
  });
}
