import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { ModelPointer, ModelRecord } from "../domain/model.js";
import { ModelSchema } from "../gen/aisle/v1/model_pb.js";
import {
  type EvaluateModelRequest,
  type EvaluateModelResponseSchema,
  ModelService,
  type TrainModelResponseSchema,
} from "../gen/aisle/v1/model_service_pb.js";
import type { Evaluate } from "../learning/evaluation/evaluator.js";
import { TRAINING_SEED } from "../learning/training/train-model.js";
import type { Trainer } from "../learning/training/trainer.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { ModelStore } from "../store/ports/model-store.js";
import { timestampOf } from "./common-messages.js";
import { algorithmMessage, evaluationMessage } from "./evaluation-messages.js";
import type { Mutation } from "./mutations.js";
import { inMemory, numberKey, readPage } from "./paging.js";
import { withProgress } from "./progress-stream.js";
import { requireApp } from "./require-app.js";
import { guarded, guardedStream, type ReportInternal } from "./wire/errors.js";

/** Questions of a task: default and maximum. */
const DEFAULT_QUERIES = 5_000;
const MAX_QUERIES = 1_000_000;

export interface ModelServiceDependencies {
  readonly trainer: Pick<Trainer, "train">;
  readonly evaluate: Evaluate;
  readonly apps: Pick<AppStore, "get">;
  readonly models: ModelStore;
  readonly activate: (appId: string, modelId: string) => Promise<ModelPointer>;
  readonly hold: (appId: string, isHeld: boolean) => Promise<ModelPointer>;
  readonly mutation: Mutation;
  readonly report: ReportInternal;
}

export function createModelService(deps: ModelServiceDependencies): ServiceImpl<typeof ModelService> {
  const { mutation, report } = deps;
  return {
    trainModel: guardedStream(report, (request) => trainModel(deps, request.appId)),

    getModel: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      return { model: await modelOf(deps, request.appId, request.modelId) };
    }),

    listModels: guarded(report, async (request) => {
      const { appId } = await requireApp(deps.apps, request.appId);
      const pointer = await deps.models.pointer(appId);
      const records = await deps.models.list(appId);
      const { items, nextPageToken } = await readPage(ModelService.method.listModels, request, {
        schema: ModelSchema,
        ...inMemory(records, ({ createdAt, modelId }) => numberKey(createdAt, modelId), true),
        message: (record) => modelMessage(record, pointer),
      });
      return { models: items, nextPageToken };
    }),

    activateModel: mutation(ModelService.method.activateModel, async ({ appId, modelId }, once) => {
      await requireApp(deps.apps, appId);
      if (modelId === "") throw new InvalidArgument("model_id", "missing");
      return once.steps(appId, async () => {
        await deps.activate(appId, modelId);
        return { model: await modelOf(deps, appId, modelId) };
      });
    }),

    setModelHold: mutation(ModelService.method.setModelHold, async ({ appId, held }, once) => {
      await requireApp(deps.apps, appId);
      return once.steps(appId, async () => {
        const { modelId } = await deps.hold(appId, held);
        return { model: await modelOf(deps, appId, modelId) };
      });
    }),

    evaluateModel: guardedStream(report, (request, context: Pick<HandlerContext, "signal">) =>
      evaluateModel(deps, request, context.signal),
    ),
  };
}

async function modelOf(deps: Pick<ModelServiceDependencies, "models">, appId: string, modelId: string) {
  const pointer = await deps.models.pointer(appId);
  const wanted = modelId || pointer?.modelId;
  const record = (await deps.models.list(appId)).find((one) => one.modelId === wanted);
  if (record === undefined) throw new NotFound("model");
  return modelMessage(record, pointer);
}

/** Trains and yields each stage as it begins. The training continues when the caller leaves. */
async function* trainModel(
  deps: ModelServiceDependencies,
  appId: string,
): AsyncGenerator<MessageInitShape<typeof TrainModelResponseSchema>> {
  if (appId === "") throw new InvalidArgument("app_id", "missing");
  const record = yield* withProgress((onProgress) => deps.trainer.train(appId, onProgress));
  const pointer = await deps.models.pointer(appId);
  yield { stage: "done", progress: 1, model: modelMessage(record, pointer) };
}

/** Evaluates and yields each stage as it begins. The evaluation stops when the caller leaves. */
async function* evaluateModel(
  deps: ModelServiceDependencies,
  { appId, maxQueries, seed }: EvaluateModelRequest,
  signal: AbortSignal,
): AsyncGenerator<MessageInitShape<typeof EvaluateModelResponseSchema>> {
  if (appId === "") throw new InvalidArgument("app_id", "missing");
  if (maxQueries < 0 || maxQueries > MAX_QUERIES)
    throw new InvalidArgument("max_queries", "invalid", `0 to ${MAX_QUERIES}`);
  if (seed < 0) throw new InvalidArgument("seed", "invalid", "0 or more");
  const query = { appId, maxQueries: maxQueries || DEFAULT_QUERIES, seed: seed || TRAINING_SEED };
  const left = new AbortController();
  try {
    const either = AbortSignal.any([signal, left.signal]);
    const evaluation = yield* withProgress((onProgress) => deps.evaluate(query, onProgress, either));
    yield { stage: "done", progress: 1, evaluation: evaluationMessage(evaluation) };
  } finally {
    left.abort();
  }
}

function modelMessage(record: ModelRecord, pointer: ModelPointer | undefined): MessageInitShape<typeof ModelSchema> {
  const active = record.modelId === pointer?.modelId;
  return {
    modelId: record.modelId,
    version: active ? (pointer?.version ?? "") : "",
    active,
    held: active && (pointer?.isHeld ?? false),
    createTime: timestampOf(record.createdAt),
    cutOffTime: timestampOf(record.manifest.cutOff),
    sizeBytes: BigInt(record.sizeBytes),
    trainingMs: BigInt(record.trainingMs),
    dataCounts: Object.fromEntries(
      Object.entries(record.manifest.dataCounts).map(([name, count]) => [name, BigInt(count)]),
    ),
    algorithms: record.manifest.algorithms.map(algorithmMessage),
  };
}
