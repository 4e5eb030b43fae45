/** The services for the page: the same RPCs as for any other caller. */
import { type Client, Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import { CatalogService } from "../../src/gen/aisle/v1/catalog_service_pb.js";
import { EventService } from "../../src/gen/aisle/v1/event_service_pb.js";
import { ModelService } from "../../src/gen/aisle/v1/model_service_pb.js";
import { OperationService } from "../../src/gen/aisle/v1/operation_service_pb.js";
import { RecommendationService } from "../../src/gen/aisle/v1/recommendation_service_pb.js";
import { SubscriptionService } from "../../src/gen/aisle/v1/subscription_service_pb.js";

export interface Clients {
  readonly apps: Client<typeof AppService>;
  readonly catalog: Client<typeof CatalogService>;
  readonly events: Client<typeof EventService>;
  readonly models: Client<typeof ModelService>;
  readonly operations: Client<typeof OperationService>;
  readonly recommendations: Client<typeof RecommendationService>;
  readonly subscriptions: Client<typeof SubscriptionService>;
}

/** `token` is read at each call, "" for none. `onRefused` is called when the server does not know the token. */
export function createClients(baseUrl: string, token: () => string, onRefused: () => void): Clients {
  const authorize: Interceptor = (next) => async (request) => {
    if (token() !== "") request.header.set("authorization", `Bearer ${token()}`);
    try {
      return await next(request);
    } catch (error) {
      if (ConnectError.from(error).code === Code.Unauthenticated) onRefused();
      throw error;
    }
  };
  const transport = createConnectTransport({ baseUrl, interceptors: [authorize] });
  return {
    apps: createClient(AppService, transport),
    catalog: createClient(CatalogService, transport),
    events: createClient(EventService, transport),
    models: createClient(ModelService, transport),
    operations: createClient(OperationService, transport),
    recommendations: createClient(RecommendationService, transport),
    subscriptions: createClient(SubscriptionService, transport),
  };
}
