/** The events of a made-up shop: the same ones in each run, one after the other or from anywhere. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Event, EventSchema, SenderType } from "../src/gen/aisle/v1/event_pb.js";

export interface ShopSize {
  readonly visitors: number;
  readonly products: number;
  /** All events happen within one hour. */
  readonly events: number;
}

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 0, 15, 18);
const WORDS =
  "oak lamp blue ceramic vase round linen copper kettle garden winter wool scarf glass silver stone cotton paper candle basket".split(
    " ",
  );

/** How one event in a hundred falls out: 5 orders, 10 cart additions, the others are product views. */
const ORDERS = 0.05;
const CARTS = 0.15;

/**
 * Event `n` of the shop, as a shop plugin sends it. Visitors and products follow Zipf's law (exponents 0.5 and 0.8), and
 * which of them comes next depends on none before: a store finds no locality but that of the popular ones. A visitor has
 * two ids, one in five an e-mail address, which orders name.
 */
export function createShopEvents({ visitors, products, events }: ShopSize): (n: number) => Event {
  const titles = Array.from({ length: 1000 }, (_, n) => {
    const word = (k: number) => WORDS[Math.floor(fraction(n, k) * WORDS.length)];
    return `${word(1)} ${word(2)} ${word(3)} ${word(4)}`;
  });
  const product = (n: number): MessageInitShape<typeof EventSchema>["products"] => {
    const title = `${titles[n % titles.length]} ${n}`;
    const slug = title.replaceAll(" ", "-");
    return [
      {
        productId: String(10_000 + n),
        sku: `SKU-${10_000 + n}`,
        title,
        imageUrl: `https://cdn.shop.example.com/media/catalog/product/${slug}.jpg`,
        url: `https://shop.example.com/${slug}.html`,
        quantity: 1,
        available: true,
        categories: [
          { categoryId: String(n % 8), name: WORDS[n % 8] ?? "" },
          { categoryId: String(100 + (n % 60)), name: titles[n % 60] ?? "" },
        ],
        brandName: WORDS[n % 11] ?? "",
        price: { amount: `${5 + (n % 200)}.90`, currency: "EUR" },
      },
    ];
  };
  const anyProduct = (n: number, draw: number) => product(Math.floor(fraction(n, draw) ** 5 * products));

  return (n) => {
    const visitor = Math.floor(fraction(n, 11) ** 2 * visitors);
    const kind = fraction(n, 12);
    const isOrder = kind < ORDERS;
    const taken = anyProduct(n, 13) ?? [];
    if (isOrder)
      for (let more = Math.floor(fraction(n, 14) * 4); more > 0; more--)
        taken.push(...(anyProduct(n, 14 + more) ?? []));
    return create(EventSchema, {
      actionType: isOrder ? "order" : kind < CARTS ? "add_to_cart" : "product_view",
      senderType: isOrder ? SenderType.SERVER : SenderType.BROWSER,
      eventTime: timestampFromMs(START + Math.floor((n * HOUR_MS) / events)),
      visitor: { clientId: hexOf(visitor, 1), fingerprintId: hexOf(visitor, 2) },
      products: taken,
      platform: "magento2",
      platformVersion: "2.4.6",
      senderVersion: "1.12.0",
      ...(isOrder && {
        contact: {
          email: `customer.${visitor % Math.ceil(visitors / 5)}@mail.example.com`,
          firstName: "Ada",
          lastName: "Tester",
        },
        order: {
          orderId: String(100_000_000 + n),
          status: "processing",
          payment: { amount: `${20 + (n % 400)}.80`, currency: "EUR" },
        },
      }),
    });
  };
}

/** The `draw`th even number from 0 to 1 of event `n` (Wang's hash: any two are unrelated). */
function fraction(n: number, draw: number): number {
  return hash(Math.imul(n, 0x9e3779b1) ^ Math.imul(draw, 0x85ebca6b)) / 2 ** 32;
}

function hash(seed: number): number {
  let x = seed;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/** 32 hexadecimal digits, as a fingerprint has them. */
function hexOf(n: number, draw: number): string {
  let text = "";
  for (let part = 0; part < 4; part++)
    text += hash(Math.imul(n + 1, 0x9e3779b1) ^ (draw * 4 + part))
      .toString(16)
      .padStart(8, "0");
  return text;
}
