import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { AppService } from "../../gen/aisle/v1/app_service_pb.js";
import { CatalogService } from "../../gen/aisle/v1/catalog_service_pb.js";
import { EventService } from "../../gen/aisle/v1/event_service_pb.js";
import { HookService } from "../../gen/aisle/v1/hook_service_pb.js";
import { ModelService } from "../../gen/aisle/v1/model_service_pb.js";
import { OperationService } from "../../gen/aisle/v1/operation_service_pb.js";
import { PrivacyService } from "../../gen/aisle/v1/privacy_service_pb.js";
import { RecommendationService } from "../../gen/aisle/v1/recommendation_service_pb.js";
import { SubscriptionService } from "../../gen/aisle/v1/subscription_service_pb.js";
import { Health } from "../../gen/grpc/health/v1/health_pb.js";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.js";

/** Services whose calls are counted by method. Calls of others are counted together. */
export const RPC_SERVICES: readonly DescService[] = [
  AppService,
  CatalogService,
  EventService,
  HookService,
  ModelService,
  OperationService,
  PrivacyService,
  RecommendationService,
  SubscriptionService,
  Health,
  ServerReflection,
];

/** A method in metrics: `aisle.v1.EventService/RecordEvent`. */
export function methodName(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

/** Reflection as tools from before 2023 call it. */
const OLD_REFLECTION = "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

/** The names of all methods. */
export const RPC_METHODS: readonly string[] = [
  ...RPC_SERVICES.flatMap(({ methods }) => methods.map(methodName)),
  OLD_REFLECTION,
];
