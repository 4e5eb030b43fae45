import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { ModelService } from "../src/gen/aisle/v1/model_service_pb.js";
import { OperationService } from "../src/gen/aisle/v1/operation_service_pb.js";

/** Trains an app, waits for the end and returns the model's id. */
export async function trained(transport: Transport, appId: string): Promise<string> {
  const { operation } = await createClient(ModelService, transport).trainModel({ appId });
  const operations: Client<typeof OperationService> = createClient(OperationService, transport);
  for (;;) {
    const { operation: now } = await operations.waitOperation({ appId, operationId: operation?.operationId ?? "" });
    if (now?.endTime === undefined) continue;
    if (now.result.case === "model") return now.result.value.modelId;
    throw new Error(now.result.case === "error" ? now.result.value.message : "The training was cancelled");
  }
}
