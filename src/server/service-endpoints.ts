/** Endpoints of the services of this process: typed clients without bytes, and an RPC router. */
import type { DescService } from "@bufbuild/protobuf";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import { AppService } from "../gen/aisle/v1/app_service_pb.js";
import { CatalogService } from "../gen/aisle/v1/catalog_service_pb.js";
import { EventService } from "../gen/aisle/v1/event_service_pb.js";
import { HookService } from "../gen/aisle/v1/hook_service_pb.js";
import { ModelService } from "../gen/aisle/v1/model_service_pb.js";
import { OperationService } from "../gen/aisle/v1/operation_service_pb.js";
import { PrivacyService } from "../gen/aisle/v1/privacy_service_pb.js";
import { RecommendationService } from "../gen/aisle/v1/recommendation_service_pb.js";
import { SubscriptionService } from "../gen/aisle/v1/subscription_service_pb.js";
import { directClient } from "../services/calls/direct-clients.js";

export interface Services {
  readonly events: ServiceImpl<typeof EventService>;
  readonly subscriptions: ServiceImpl<typeof SubscriptionService>;
  readonly recommendations: ServiceImpl<typeof RecommendationService>;
  readonly catalog: ServiceImpl<typeof CatalogService>;
  readonly apps: ServiceImpl<typeof AppService>;
  readonly hooks: ServiceImpl<typeof HookService>;
  readonly models: ServiceImpl<typeof ModelService>;
  readonly operations: ServiceImpl<typeof OperationService>;
  readonly privacy: ServiceImpl<typeof PrivacyService>;
}

export function endpointsOf(services: Services) {
  return {
    /** Typed clients that call the services in this process. */
    clients: {
      events: directClient(EventService, services.events),
      subscriptions: directClient(SubscriptionService, services.subscriptions),
      recommendations: directClient(RecommendationService, services.recommendations),
      catalog: directClient(CatalogService, services.catalog),
      apps: directClient(AppService, services.apps),
      hooks: directClient(HookService, services.hooks),
      models: directClient(ModelService, services.models),
      operations: directClient(OperationService, services.operations),
      privacy: directClient(PrivacyService, services.privacy),
    },
    /** Puts all services on an RPC router. */
    routes(router: ConnectRouter): void {
      const add = <S extends DescService>(service: S, implementation: ServiceImpl<S>) =>
        router.service(service, implementation);
      add(EventService, services.events);
      add(SubscriptionService, services.subscriptions);
      add(RecommendationService, services.recommendations);
      add(CatalogService, services.catalog);
      add(AppService, services.apps);
      add(HookService, services.hooks);
      add(ModelService, services.models);
      add(OperationService, services.operations);
      add(PrivacyService, services.privacy);
    },
  };
}
