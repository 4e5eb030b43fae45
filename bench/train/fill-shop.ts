import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import { CatalogService } from "../../src/gen/aisle/v1/catalog_service_pb.js";
import { EventService } from "../../src/gen/aisle/v1/event_service_pb.js";
import { trained } from "../trained.js";
import { catalogueOf, eventsOf } from "./import-shop.js";

export interface ShopPlan {
  readonly appId: string;
  readonly products: number;
  readonly events: number;
  readonly isTrained: boolean;
}

/** Makes the app on the server, imports the made-up shop over RPC and has it trained; says what it did. */
export async function fillShop(rpcUrl: string, { appId, products, events, isTrained }: ShopPlan): Promise<void> {
  const transport = createGrpcTransport({ baseUrl: rpcUrl, defaultTimeoutMs: 3_600_000 });
  await createClient(AppService, transport).createApp({ app: { appId } });
  await createClient(CatalogService, transport).upsertProducts(catalogueOf(appId, products));
  if (events > 0) {
    const { refused } = await createClient(EventService, transport).recordEvents(eventsOf(appId, events, products));
    if (refused.length > 0) throw new Error(`event ${refused[0]?.field}: ${refused[0]?.reason}`);
  }
  const imported = `${products} products and ${events} events imported`;
  if (!isTrained) return console.log(`${imported}, not trained`);
  const startedAt = performance.now();
  await trained(transport, appId);
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`${imported}, trained in ${seconds.toFixed(0)} s beside an idle server`);
}
