import type { Metrics } from "../adapters/metrics.js";
import { HealthCheckResponse_ServingStatus as ServingStatus } from "../gen/grpc/health/v1/health_pb.js";
import { type Schedule, startSchedule, startStoppable } from "../learning/training/schedule.js";
import type { HealthState } from "../services/standard/health.js";
import type { Aisle } from "./app.js";
import type { Logger } from "./log.js";
import type { RoleTasks } from "./roles.js";
import type { LookAtFiles } from "./server-ports.js";
import type { Config } from "./settings/config.js";

/** Interval for reading the files of certificates and tokens. */
const FILES_EVERY_MS = 5_000;
/** Interval for checking that the store takes writes. */
const HEALTH_EVERY_MS = 1_000;
/** Interval for sending hook messages and starting due feeds. */
const HOOKS_EVERY_MS = 1_000;
/** Interval for writing what frames showed, and what came of it. */
const FRAME_RESULTS_EVERY_MS = 1_000;
/** Interval for taking in results that a process left. */
const LEFT_RESULTS_EVERY_MS = 60_000;
/** Interval for looking up models of other processes. */
const MODELS_EVERY_MS = 1_000;
/** Interval for evicting apps from memory. */
const EVICT_EVERY_MS = 1_000;
/** Interval for preloading new apps. */
const AHEAD_EVERY_MS = 2_000;
/** Interval for looking which apps are due for a training. */
const TRAININGS_EVERY_MS = 5_000;
/** Interval for resuming erasures of dead processes. */
const ERASURES_EVERY_MS = 60_000;
/** Retention sweep interval: expired records stay at most this much longer. */
const RETENTION_EVERY_MS = 6 * 3600_000;
/** Delay of the first sweep after the start. */
const FIRST_RETENTION_MS = 5 * 60_000;

export interface TaskParts {
  readonly duties: RoleTasks;
  /** Undefined when the services run in another process. */
  readonly aisle: Aisle | undefined;
  readonly health: HealthState;
  readonly ready: () => Promise<void>;
  /** Of the open ports. */
  readonly watched: readonly LookAtFiles[];
  readonly trainEvery: Config["trainEvery"];
  readonly isStopping: () => boolean;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly report: (error: unknown) => void;
}

/** Starts the background tasks, each on its own timer. */
export function startBackgroundTasks(parts: TaskParts): Schedule[] {
  const { duties, aisle, report } = parts;
  const every = (ms: number, work: () => Promise<void>) => startSchedule(ms, work, report);
  const checkHealth = healthCheck(parts);
  return [
    ...parts.watched.map((look) => every(FILES_EVERY_MS, async () => look())),
    ...(duties.rpc === "closed" ? [] : [every(HEALTH_EVERY_MS, checkHealth)]),
    ...(aisle === undefined ? [] : tasksOfServices(aisle, parts, every)),
    ...(aisle === undefined || !duties.training ? [] : tasksOfTrainer(aisle, parts, every)),
  ];
}

type Every = (ms: number, work: () => Promise<void>) => Schedule;

function tasksOfServices(aisle: Aisle, parts: TaskParts, every: Every): Schedule[] {
  const resumeErasures = () => aisle.resumeErasures(failure(parts, "an erasure failed; it will be retried"));
  return [
    every(MODELS_EVERY_MS, aisle.lookForModels),
    every(EVICT_EVERY_MS, async () => aisle.evictApps()),
    ...(parts.duties.rpc === "services" ? [startStoppable(AHEAD_EVERY_MS, aisle.preload, parts.report, 0)] : []),
    every(FRAME_RESULTS_EVERY_MS, aisle.writeFrameCounts),
    every(ERASURES_EVERY_MS, resumeErasures),
  ];
}

/** Tasks that only one process runs for all. */
function tasksOfTrainer(aisle: Aisle, parts: TaskParts, every: Every): Schedule[] {
  const trainingFailure = (message: string) => {
    const log = failure(parts, message);
    return (appId: string, error: unknown) => {
      parts.metrics.count("trainings_failed");
      log(appId, error);
    };
  };
  const { trainEvery } = parts;
  const onTrainingFailure = trainingFailure("an automatic training failed; it will be retried");
  const trainDue = () => aisle.automaticTraining.trainDue(trainEvery, onTrainingFailure);
  parts.metrics.watch?.("model_behind_ms", () => {
    const since = aisle.automaticTraining.behindSince();
    return since === null ? 0 : Math.max(0, Date.now() - since);
  });
  let sweptAt = performance.now() + FIRST_RETENTION_MS - RETENTION_EVERY_MS;
  const sweepRetention = async () => {
    if (performance.now() - sweptAt < RETENTION_EVERY_MS) return;
    sweptAt = performance.now();
    await aisle.sweepRetention(failure(parts, "retention sweep failed"));
  };
  return [
    every(trainEvery === "auto" ? TRAININGS_EVERY_MS : Math.min(TRAININGS_EVERY_MS, trainEvery), trainDue),
    ...(aisle.deliverHooks === undefined ? [] : [every(HOOKS_EVERY_MS, aisle.deliverHooks)]),
    every(LEFT_RESULTS_EVERY_MS, aisle.settleFrameCounts),
    startStoppable(HOOKS_EVERY_MS, aisle.readFeeds, parts.report),
    every(ERASURES_EVERY_MS, sweepRetention),
  ];
}

/** Logs a failure of one app, unless the server is stopping. */
function failure({ isStopping, logger }: TaskParts, message: string): (appId: string, error: unknown) => void {
  return (appId, error) => {
    if (!isStopping()) logger.error({ appId, error }, message);
  };
}

/** Keeps the health that RPC callers see, and the metric `ready`, in step with the store. */
function healthCheck({ health, ready, isStopping, metrics }: TaskParts): () => Promise<void> {
  let isReady = true;
  metrics.watch?.("ready", () => (isReady && !isStopping() ? 1 : 0));
  return async () => {
    isReady = await ready().then(
      () => true,
      () => false, // /readyz gives the reason
    );
    if (!isStopping() && (health.status("") === ServingStatus.SERVING) !== isReady) health.set(isReady);
  };
}
