import { type CallOptions, type Client, Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import { ErrorReason, type Operation, type OperationService, OperationState } from "./messages.js";

/**
 * The operation when it has ended with a result, such as the model of a training. Throws the error of a failed one, as a
 * failed call would, and CANCELED for a cancelled one:
 *
 *     const { result } = await wait(aisle.operations, (await aisle.models.trainModel({ appId })).operation);
 */
export async function wait(
  operations: Client<typeof OperationService>,
  operation: Operation | undefined,
  options?: CallOptions,
): Promise<Operation> {
  const { appId = "", operationId = "" } = operation ?? {};
  for (;;) {
    const { operation: found } = await operations.waitOperation({ appId, operationId }, options);
    if (found?.state === OperationState.SUCCEEDED) return found;
    if (found?.state === OperationState.CANCELLED) throw new ConnectError("the operation was cancelled", Code.Canceled);
    if (found?.result.case !== "error") continue;
    const { code, message, reason } = found.result.value;
    const info = { desc: ErrorInfoSchema, value: { domain: "aisle", reason: ErrorReason[reason] } };
    throw new ConnectError(message, code, undefined, [info]);
  }
}
