import { type Client, Code, ConnectError } from "@connectrpc/connect";
import { type Operation, OperationStage, OperationState } from "../../src/gen/aisle/v1/operation_pb.js";
import type { OperationService } from "../../src/gen/aisle/v1/operation_service_pb.js";

/** The states of an operation up to its end. Throws its error when it failed, or when it was cancelled. */
export async function* followed(
  { operations }: { readonly operations: Client<typeof OperationService> },
  begun: Operation | undefined,
): AsyncGenerator<Operation> {
  if (begun === undefined) return;
  const { appId, operationId } = begun;
  for await (const { operation } of operations.watchOperation({ appId, operationId })) {
    if (operation === undefined) continue;
    const { result, state } = operation;
    if (result.case === "error") throw new ConnectError(result.value.message, codeOf(result.value.code));
    if (state === OperationState.CANCELLED) throw new ConnectError("It was cancelled", Code.Canceled);
    yield operation;
  }
}

/** `association rules`; "" for none. */
export function stageText({ progress }: Operation): string {
  const stage = progress?.stage ?? OperationStage.UNSPECIFIED;
  return stage === OperationStage.UNSPECIFIED ? "" : OperationStage[stage].toLowerCase().replaceAll("_", " ");
}

function codeOf(code: number): Code {
  return code in Code ? code : Code.Unknown;
}
