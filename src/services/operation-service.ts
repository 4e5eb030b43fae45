import { durationMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { InvalidArgument } from "../domain/errors.js";
import { hasEnded } from "../domain/operation.js";
import { OperationSchema } from "../gen/aisle/v1/operation_pb.js";
import { OperationService } from "../gen/aisle/v1/operation_service_pb.js";
import type { Operations } from "../operations/operations.js";
import type { AppStore } from "../store/ports/app-store.js";
import { endOfWatch } from "./calls/draining.js";
import { guarded, guardedStream, type ReportInternal } from "./errors/errors.js";
import { kindOf, operationMessage } from "./operation-messages.js";
import { readPage } from "./paging.js";
import { requireApp } from "./require-app.js";

const DEFAULT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 300_000;

export interface OperationServiceDependencies {
  readonly operations: Operations;
  readonly apps: Pick<AppStore, "get">;
  readonly report: ReportInternal;
}

export function createOperationService(deps: OperationServiceDependencies): ServiceImpl<typeof OperationService> {
  const { operations, apps, report } = deps;
  const check = async ({ appId, operationId }: { readonly appId: string; readonly operationId: string }) => {
    await requireApp(apps, appId);
    if (operationId === "") throw new InvalidArgument("operation_id", "missing");
  };
  return {
    getOperation: guarded(report, async (request) => {
      await check(request);
      const { appId, operationId } = request;
      return { operation: operationMessage(appId, await operations.get(appId, operationId)) };
    }),

    listOperations: guarded(report, async (request) => {
      const { appId } = request;
      await requireApp(apps, appId);
      const kind = kindOf(request.kind);
      const { items, nextPageToken } = await readPage(OperationService.method.listOperations, request, {
        schema: OperationSchema,
        read: (after, limit) => operations.list(appId, after, limit),
        keyOf: ({ operationId }) => operationId,
        message: (operation) => operationMessage(appId, operation),
        matches: kind === undefined ? undefined : (operation) => operation.kind === kind,
      });
      return { operations: items, nextPageToken };
    }),

    waitOperation: guarded(report, async (request, context: HandlerContext) => {
      await check(request);
      const { appId, operationId, timeout } = request;
      const ms = timeout === undefined ? DEFAULT_WAIT_MS : durationMs(timeout);
      if (ms < 0 || ms > MAX_WAIT_MS) throw new InvalidArgument("timeout", "invalid", "0 to 300 seconds");
      return { operation: operationMessage(appId, await operations.wait(appId, operationId, ms, endOfWatch(context))) };
    }),

    watchOperation: guardedStream(report, async function* (request, context: HandlerContext) {
      await check(request);
      const { appId, operationId } = request;
      const ended = endOfWatch(context);
      let isOver = false;
      for await (const operation of operations.watch(appId, operationId, ended)) {
        isOver = hasEnded(operation);
        yield { operation: operationMessage(appId, operation) };
      }
      if (!isOver) throw ended.reason;
    }),

    cancelOperation: guarded(report, async (request) => {
      await check(request);
      const { appId, operationId, validateOnly } = request;
      const { get, cancel } = operations;
      return { operation: operationMessage(appId, await (validateOnly ? get : cancel)(appId, operationId)) };
    }),
  };
}
