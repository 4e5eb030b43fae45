/**
 * The fields of the trace form: names that the reader knows, and their descriptions in the OpenAPI document. `Read` in
 * trace-event.ts accepts no other name, and the document has every name.
 */

/** The published description of a field. All fields are text; only `app_id` and `action_type` are required. */
export interface TraceField {
  readonly says: string;
  readonly example?: string;
  /** The field also stays among the event's extra fields, as unknown fields do. */
  readonly kept?: true;
}

const LIST = "One value a product, `|` between them";

export const TRACE_FORM = {
  app_id: { says: "The app (shop) whose event this is.", example: "demo" },
  action_type: {
    says: "What happened. Any value is accepted and stored; those listed have effects. Compared without case.",
    example: "product_view",
  },
  sender_type: { says: "`server` for requests of a shop's backend, which are limited; else `browser` or nothing." },
  idempotency_key: {
    says: "As the header Idempotency-Key, which wins: for 24 hours the same key of a sender is the same event. At most 255 bytes; a longer one is refused.",
  },
  c_id: { says: "Client id of the browser's local storage.", example: "c-7f3a" },
  fp_ccid: { says: "Fingerprint cookie id; without it the cookie of this name serves.", example: "fp-maja" },
  fpccid: { says: "The same by the name other senders use." },
  email: { says: "E-mail address of the visitor. Text that is no address is kept and identifies nobody." },
  phone: { says: "Phone number of the visitor." },
  user_id: { says: "The shop's own id of the visitor." },
  first_name: { says: "First name." },
  last_name: { says: "Last name." },
  country: { says: "Country." },
  city: { says: "City." },
  gender: { says: "Gender." },
  birth_date: { says: "Date of birth." },
  customer_tags: { says: "Tags of the customer, `|` or `,` between them." },
  subscriber_status: {
    says: "`1` or `0`. With the action `subscribe` it subscribes or unsubscribes the e-mail address (any other text states nothing), else it only fills an unknown status.",
  },
  sms_subscriber_status: { says: "The same for text messages." },
  product_ids: { says: `Product ids. ${LIST}; the ids say how many products there are.`, example: "lark-2" },
  product_skus: { says: `Product SKUs. ${LIST}. They serve where ids are missing.` },
  product_variant_ids: { says: `Ids of the variants. ${LIST}.` },
  product_titles: { says: `Titles. ${LIST}.` },
  product_images: { says: `Addresses of pictures, http or https. ${LIST}.` },
  product_urls: { says: `Addresses of product pages, http or https. ${LIST}.` },
  product_counts: { says: `Quantities. ${LIST}.` },
  product_availability: { says: `\`1\` or \`0\`, also in words such as \`in stock\`. ${LIST}.` },
  product_category_ids: { says: `Category ids, broad to narrow with \`~\` between the levels. ${LIST}.` },
  product_category_names: { says: `Names of the categories in the same order, \`~\` between the levels. ${LIST}.` },
  product_brand_ids: { says: `Brand ids. ${LIST}.` },
  product_brand_names: { says: `Brand names. ${LIST}.` },
  order_id: { says: "The shop's id of the order. Copies of one order are one order." },
  order_status: { says: "Status of the order, in the shop's words." },
  order_payment_value: { says: "What was paid, in `order_currency`.", example: "149.99" },
  base_payment_value: { says: "The same in the shop's own currency." },
  order_currency: { says: "ISO 4217 code." },
  base_currency: { says: "ISO 4217 code." },
  coupon: { says: "Coupon that was used." },
  recommendation_id: {
    says: "`recommendationId` of the answer of `POST /recommend` that the product was clicked in; several with `|` between them.",
  },
  event_utc_date: {
    says: "When it happened, in UTC, `YYYY-MM-DD HH:MM:SS`. Not plausible: the time of receipt counts.",
    example: "2026-03-01 10:00:00",
  },
  utc_time: { says: "The same in ISO 8601; used when `event_utc_date` is not plausible." },
  version: { says: "Version of the sender." },
  platform: { says: "Shop platform." },
  platform_version: { says: "Its version." },
  search_query: { says: "What the visitor searched for." },
  user_agent: { says: "The visitor's user agent, for senders that are not the visitor's own browser.", kept: true },
} as const satisfies Readonly<Record<string, TraceField>>;

export type TraceFieldName = keyof typeof TRACE_FORM;

/** Names with a meaning. Every other field is kept with the event as it came. */
export const TRACE_FIELDS = namesOf((_name, { kept }) => kept !== true);

/** Fields with one value for each product, and tags: senders also write them as arrays. */
export const LIST_FIELDS = namesOf((name, { says }) => name === "customer_tags" || says.includes(LIST));

function namesOf(isOne: (name: string, field: TraceField) => boolean): ReadonlySet<string> {
  const fields = Object.entries<TraceField>(TRACE_FORM).filter(([name, field]) => isOne(name, field));
  return new Set(fields.map(([name]) => name));
}

/** Further required fields of an action: one of these. The services check them; here they document the action. */
export const REQUIRED_BY_ACTION = {
  product_view: ["product_ids", "product_skus"],
  add_to_cart: ["product_ids", "product_skus"],
  category_view: ["product_category_ids"],
  order: ["order_id"],
  order_cancel: ["order_id"],
  subscribe: ["email", "phone"],
} as const satisfies Readonly<Record<string, readonly TraceFieldName[]>>;

/** Actions with effects that require no further field. */
export const OTHER_ACTIONS = ["other", "homepage_view", "search_query"] as const;
