/** The made-up shop as messages of the streams that import it over RPC. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { UpsertProductsRequestSchema } from "../../src/gen/aisle/v1/catalog_service_pb.js";
import type { RecordEventsRequestSchema } from "../../src/gen/aisle/v1/event_service_pb.js";
import { shopHistories, shopProducts } from "./shop.js";

const BATCH = 500;

export async function* catalogueOf(
  appId: string,
  productCount: number,
): AsyncGenerator<MessageInitShape<typeof UpsertProductsRequestSchema>> {
  const products = shopProducts(productCount);
  for (let from = 0; from < products.length; from += BATCH)
    yield {
      appId,
      products: products
        .slice(from, from + BATCH)
        .map(({ productId, title, description, categories, brand, price }) => ({
          productId,
          title,
          description,
          categories: categories.map(({ categoryId, name }) => ({ categoryId, name })),
          brand,
          price,
        })),
    };
}

export async function* eventsOf(
  appId: string,
  eventCount: number,
  productCount: number,
): AsyncGenerator<MessageInitShape<typeof RecordEventsRequestSchema>> {
  for await (const batch of shopHistories(eventCount, productCount)) {
    const all = batch.flatMap(({ visitorId, interactions }) =>
      interactions.map(({ type, at, productIds }, step) => ({
        actionType: type,
        eventTime: timestampFromMs(at),
        visitor: { clientId: visitorId },
        products: productIds.map((productId) => ({ productId, quantity: 1 })),
        ...(type === "order" && { order: { orderId: `${visitorId}-${step}` } }),
      })),
    );
    for (let from = 0; from < all.length; from += BATCH) yield { appId, events: all.slice(from, from + BATCH) };
  }
}
