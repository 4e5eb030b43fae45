import { DEMO_APP_ID } from "./catalogue.js";

/** A visitor of `web/demo/visitors.csv` who has an account, subscribed to the newsletter with the first visit and never unsubscribed. */
export const DEMO_VISITOR = { fingerprintId: "fp-maja", email: "maja.lindqvist@example.com" } as const;

/**
 * Three commands for a POSIX shell, one line each: the subscription status of a subscribed visitor, a product view, and
 * recommendations on a tent's page with a stove in the cart.
 * @param at when the stove was put into the cart, ms; the service treats a cart as current for a day
 */
export function demoCurlLines(baseUrl: string, at: number = Date.UTC(2026, 0, 15, 18, 30)): string[] {
  const base = baseUrl.replace(/\/+$/, "");
  const request = {
    appId: DEMO_APP_ID,
    currentProductIds: "lark-2",
    productInteractions: [
      interaction("product_view", "cloudbank-mat", at - 40_000),
      interaction("add_to_cart", "pip-stove", at),
    ],
  };
  return [
    `curl -s ${quoted(`${base}/subscription_status?app_id=${DEMO_APP_ID}&fpcid=${DEMO_VISITOR.fingerprintId}`)}`,
    `curl -si ${quoted(`${base}/trace`)} -d app_id=${DEMO_APP_ID} -d action_type=product_view -d product_ids=lark-2 -d fp_ccid=${DEMO_VISITOR.fingerprintId}`,
    `curl -s ${quoted(`${base}/recommend`)} -H 'content-type: application/json' -d ${quoted(JSON.stringify(request))}`,
  ];
}

function interaction(productInteractionType: string, productId: string, at: number) {
  return { productInteractionType, productId, utcInteractionDate: new Date(at).toISOString() };
}

/** The text in single quotes, as a POSIX shell reads it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
