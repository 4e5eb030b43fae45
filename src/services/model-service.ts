import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Now } from "../domain/clock.js";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { ModelPointer, ModelRecord } from "../domain/model.js";
import { newOperation, type Operation } from "../domain/operation.js";
import { EvaluationSchema } from "../gen/aisle/v1/evaluation_pb.js";
import { ModelSchema } from "../gen/aisle/v1/model_pb.js";
import { ModelService } from "../gen/aisle/v1/model_service_pb.js";
import type { Evaluator } from "../learning/evaluation/evaluator.js";
import type { ModelRegistry } from "../learning/snapshot/registry.js";
import { TRAINING_SEED } from "../learning/training/train-model.js";
import type { Trainer, TrainingProgress } from "../learning/training/trainer.js";
import type { LiveWork } from "../operations/live-operation.js";
import type { Operations } from "../operations/operations.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { ModelStore } from "../store/ports/model-store.js";
import type { Change } from "../store/ports/unit-of-work.js";
import { timestampOf } from "./common-messages.js";
import { guarded, type ReportInternal } from "./errors/errors.js";
import { evaluationMessage, modelEvaluations } from "./evaluation-messages.js";
import { algorithmMessage, dataCountsMessage, trainingReasonOf } from "./model-messages.js";
import type { Mutation } from "./mutations.js";
import { operationMessage, resultText } from "./operation-messages.js";
import { inMemory, numberKey, readPage } from "./paging.js";
import { requireApp } from "./require-app.js";

/** Questions of a task: default and maximum. */
const DEFAULT_QUERIES = 5_000;
const MAX_QUERIES = 1_000_000;

export interface ModelServiceDependencies {
  readonly trainer: Pick<Trainer, "train" | "check">;
  readonly evaluator: Evaluator;
  readonly operations: Pick<Operations, "begin">;
  readonly apps: Pick<AppStore, "get">;
  readonly models: ModelStore;
  readonly registry: Pick<ModelRegistry<unknown>, "activate" | "hold">;
  readonly now: Now;
  readonly mutation: Mutation;
  readonly report: ReportInternal;
}

export function createModelService(deps: ModelServiceDependencies): ServiceImpl<typeof ModelService> {
  const { registry, now, mutation, report } = deps;
  const operationAnswer = (appId: string, operation: Operation) => ({ operation: operationMessage(appId, operation) });
  return {
    trainModel: mutation(ModelService.method.trainModel, async ({ appId, validateOnly }, once) => {
      await requireApp(deps.apps, appId);
      if (validateOnly) {
        await deps.trainer.check(appId);
        return operationAnswer(appId, newOperation("", "train_model", now()));
      }
      const learn: Learn = async (onProgress, signal) => {
        const record = await deps.trainer.train(appId, onProgress, signal);
        const pointer = await deps.models.pointer(appId);
        return resultText({ case: "model", value: create(ModelSchema, modelMessage(record, pointer)) });
      };
      const begin = (change: Change<Operation>) => beginLearning(deps, appId, "train_model", learn, change);
      return once.change((operation) => operationAnswer(appId, operation), begin, appId);
    }),

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
      const make = async () => {
        await registry.activate(appId, modelId);
        return { model: await modelOf(deps, appId, modelId) };
      };
      const tried = async () => triedModel(deps, appId, await registry.activate(appId, modelId, true));
      return once.steps(appId, make, tried);
    }),

    setModelHold: mutation(ModelService.method.setModelHold, async ({ appId, held }, once) => {
      await requireApp(deps.apps, appId);
      const make = async () => {
        const { modelId } = await registry.hold(appId, held);
        return { model: await modelOf(deps, appId, modelId) };
      };
      const tried = async () => triedModel(deps, appId, await registry.hold(appId, held, true));
      return once.steps(appId, make, tried);
    }),

    evaluateModel: mutation(ModelService.method.evaluateModel, async (request, once) => {
      const { appId, maxQueries, seed, validateOnly } = request;
      await requireApp(deps.apps, appId);
      if (maxQueries < 0 || maxQueries > MAX_QUERIES)
        throw new InvalidArgument("max_queries", "invalid", `0 to ${MAX_QUERIES}`);
      if (seed < 0) throw new InvalidArgument("seed", "invalid", "0 or more");
      if (validateOnly) {
        await deps.evaluator.check(appId);
        return operationAnswer(appId, newOperation("", "evaluate_model", now()));
      }
      const query = { appId, maxQueries: maxQueries || DEFAULT_QUERIES, seed: seed || TRAINING_SEED };
      const learn: Learn = async (onProgress, signal) => {
        const evaluation = await deps.evaluator.evaluate(query, onProgress, signal);
        return resultText({ case: "evaluation", value: create(EvaluationSchema, evaluationMessage(evaluation)) });
      };
      const begin = (change: Change<Operation>) => beginLearning(deps, appId, "evaluate_model", learn, change);
      return once.change((operation) => operationAnswer(appId, operation), begin, appId);
    }),
  };
}

type KeptModels = Pick<ModelServiceDependencies, "models">;

async function modelOf(deps: KeptModels, appId: string, modelId: string) {
  const pointer = await deps.models.pointer(appId);
  return modelMessage(await recordOf(deps, appId, modelId || pointer?.modelId), pointer);
}

/** The model as it would be under the pointer. */
async function triedModel(deps: KeptModels, appId: string, pointer: ModelPointer) {
  return { model: modelMessage(await recordOf(deps, appId, pointer.modelId), pointer) };
}

async function recordOf(deps: KeptModels, appId: string, modelId: string | undefined): Promise<ModelRecord> {
  const record = (await deps.models.list(appId)).find((one) => one.modelId === modelId);
  if (record === undefined) throw new NotFound("model");
  return record;
}

type Learn = (onProgress: (progress: TrainingProgress) => void, signal: AbortSignal) => Promise<string>;

/** Begins a training or an evaluation, whose progress is the share of its work. */
function beginLearning(
  { operations }: Pick<ModelServiceDependencies, "operations">,
  appId: string,
  kind: "train_model" | "evaluate_model",
  learn: Learn,
  change: Change<Operation>,
): Promise<Operation> {
  const run: LiveWork = (onProgress, signal) =>
    learn(({ stage, progress }) => onProgress({ stage, share: Math.min(1, Math.max(0, progress)) }), signal);
  return operations.begin(appId, kind, run, change);
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
    trainingDuration: durationFromMs(record.trainingMs),
    dataCounts: dataCountsMessage(record.manifest.dataCounts),
    algorithms: record.manifest.algorithms.map(algorithmMessage),
    evaluations: modelEvaluations(record.manifest.algorithms),
    trainingReason: trainingReasonOf(record.reason),
  };
}
