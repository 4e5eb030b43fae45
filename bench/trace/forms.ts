/** Bodies that a load of POST /trace sends in turns: as many different ones as keep caches from knowing them all. */

export const APP = "shop-0001";
const COUNT = 2048;

/** What a load sends, by the name of its form. */
export const FORMS: Readonly<Record<string, readonly string[]>> = {
  kit: Array.from({ length: COUNT }, (_, n) => kitForm(n + 1)),
  shop: Array.from({ length: COUNT }, (_, n) => shopForm(n + 1)),
};

/** The form of the reference kit (`lua/post.lua`): a product view in eight fields, 400 bytes. */
function kitForm(n: number): string {
  const page = `https://shop.example/p/blue-widget-${n}?utm_source=newsletter&utm_campaign=autumn`;
  return formOf({
    app_id: APP,
    action_type: "product_view",
    product_ids: `${n},${n + 7}`,
    fpcid: `fp-${hex(n * 2_654_435)}${hex(n * 40_503)}`,
    event_uid: `${hex(1_795_000_000)}-${String(n).padStart(6, "0")}`,
    page_url: page,
    page_title: `Blue widget no ${n}`,
    referrer: "https://search.example/",
  });
}

/** What the plugin of a shop posts for a product view: all its fields, most of them empty, 1,200 bytes; 500 products. */
function shopForm(n: number): string {
  const product = (n * 7919) % 500;
  return formOf({
    app_id: APP,
    action_type: "product_view",
    sender_type: "browser",
    c_id: `c-${hex(n * 2_654_435)}`,
    fp_ccid: `${hex(n * 40_503)}${hex(n * 77)}${hex(n * 991)}`,
    ...empty("email", "phone", "user_id", "first_name", "last_name", "country", "city", "gender", "birth_date"),
    ...empty("customer_tags", "subscriber_status"),
    product_ids: String(product),
    product_skus: `SKU-${product}`,
    product_variant_ids: "",
    product_titles: `Waterproof hiking boots with a stiff sole, black, no ${product}`,
    product_images: `https://cdn.shop.example.com/media/catalog/product/b/o/boot-${product}-black.jpg`,
    product_urls: `https://shop.example.com/outdoor/shoes/waterproof-hiking-boots-${product}.html`,
    product_counts: "",
    product_availability: "1",
    product_category_ids: `3~31~31${product % 10}`,
    product_category_names: "Outdoor~Shoes~Hiking boots",
    product_brand_ids: "81",
    product_brand_names: "Northridge",
    ...empty(
      "order_id",
      "order_status",
      "order_payment_value",
      "base_payment_value",
      "order_currency",
      "base_currency",
    ),
    ...empty("coupon", "utc_time"),
    version: "1.12.0",
    platform: "magento2",
    platform_version: "2.4.6",
    search_query: "",
    page_type: "product",
  });
}

function formOf(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString();
}

function empty(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, ""]));
}

function hex(number: number): string {
  return (number % 2 ** 32).toString(16).padStart(8, "0");
}
