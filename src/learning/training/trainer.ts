import type { App } from "../../domain/app.js";
import type { Now } from "../../domain/clock.js";
import { Conflict, NotFound } from "../../domain/errors.js";
import {
  type ModelManifest,
  type ModelPointer,
  type ModelRecord,
  type SnapshotBytes,
  snapshotLength,
  type TrainingReason,
} from "../../domain/model.js";
import type { AppStore } from "../../store/ports/app-store.js";
import type { Lease, Leases } from "../../store/ports/lease.js";
import type { ModelStore } from "../../store/ports/model-store.js";

/** A stage of training that begins, and the share of the work done before it (0 to 1). */
export interface TrainingProgress {
  readonly stage: string;
  readonly progress: number;
}

/** Result of a training. */
export interface TrainedModel {
  readonly manifest: ModelManifest;
  readonly bytes: SnapshotBytes;
}

/** Trains on all stored data of an app. Runs in a worker thread, so that serving keeps its latency. */
export type RunTraining = (
  appId: string,
  onProgress: (progress: TrainingProgress) => void,
  /** Ends it; then it rejects. */
  signal?: AbortSignal,
) => Promise<TrainedModel>;

export interface TrainerDependencies {
  readonly apps: Pick<AppStore, "get">;
  readonly models: Pick<ModelStore, "activity" | "list">;
  readonly runTraining: RunTraining;
  readonly leases: Leases;
  readonly publish: (
    appId: string,
    record: ModelRecord,
    bytes: SnapshotBytes,
    lease: Lease,
    /** Creation time of the app that the model learned from. */
    madeAt: number,
  ) => Promise<ModelPointer>;
  readonly now: Now;
  readonly newModelId: () => string;
  /** Returns a unique text. */
  readonly newLeaseHolder: () => string;
}

/** Lease time: a killed process blocks trainings of its app for this long. */
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;

export interface Trainer {
  /**
   * Trains an app and activates the model. Rejects with NotFound("app"); Conflict("training_running") when another training of
   * the app runs, here or in another process; Conflict("not_enough_data") when there is no data. After a rejection the old
   * model serves, as after an end by the signal.
   */
  train(appId: string, onProgress: (progress: TrainingProgress) => void, signal?: AbortSignal): Promise<ModelRecord>;
  /** Rejects as `train` would at once, as far as this process knows, and trains nothing. */
  check(appId: string): Promise<void>;
  /**
   * Trains without being asked, unless the app's newest model is another one than `newestId` by now. False when there is no
   * data; true also when another process has trained the app, or is doing so.
   */
  trainIfPossible(appId: string, reason: TrainingReason, newestId: string | undefined): Promise<boolean>;
}

interface Work {
  readonly reason: TrainingReason;
  /** Asked under the lease. */
  readonly isStillWanted: () => Promise<boolean>;
  readonly onProgress: (progress: TrainingProgress) => void;
  readonly signal: AbortSignal | undefined;
}

export function createTrainer(deps: TrainerDependencies): Trainer {
  const running = new Set<string>();
  /** Trainings that nobody asked for, by app: somebody who asks waits for their end. */
  const unasked = new Map<string, Promise<unknown>>();
  /** Apps with somebody who waits so. */
  const awaited = new Set<string>();

  const existing = async (appId: string): Promise<App> => {
    const app = await deps.apps.get(appId);
    if (app === undefined) throw new NotFound("app");
    return app;
  };

  const underWay = () => new Conflict("training_running", "A training of this app is under way");

  const activityOf = async (appId: string): Promise<string> => {
    const activity = await deps.models.activity(appId);
    if (activity === "") throw new Conflict("not_enough_data", "The app has neither products nor events to learn from");
    return activity;
  };

  const trainOnce = async (appId: string, work: Work): Promise<ModelRecord> => {
    const app = await existing(appId);
    if (running.has(appId)) throw underWay();
    running.add(appId);
    try {
      const lease = await deps.leases.acquire(appId, deps.newLeaseHolder(), LEASE_MS);
      if (lease === undefined) throw underWay();
      // Ignored here: publishing fails if the lease is lost.
      const renew = () => void deps.leases.renew(appId, lease, LEASE_MS).catch(() => undefined);
      const renewals = setInterval(renew, RENEW_MS).unref();
      try {
        return await learn(app, lease, work);
      } finally {
        clearInterval(renewals);
        await deps.leases.release(appId, lease).catch(() => undefined); // the lease then expires
      }
    } finally {
      running.delete(appId);
    }
  };

  const learn = async (
    { appId, createdAt: madeAt }: App,
    lease: Lease,
    { reason, isStillWanted, onProgress, signal }: Work,
  ): Promise<ModelRecord> => {
    if (!(await isStillWanted())) throw underWay();
    const activity = await activityOf(appId);
    const startedAt = deps.now();
    const { manifest, bytes } = await deps.runTraining(appId, onProgress, signal);
    signal?.throwIfAborted();
    const createdAt = deps.now();
    const record: ModelRecord = {
      modelId: deps.newModelId(),
      createdAt,
      trainingMs: createdAt - startedAt,
      sizeBytes: snapshotLength(bytes),
      manifest,
      activity,
      reason,
    };
    onProgress({ stage: "publish", progress: 0.99 });
    await deps.publish(appId, record, bytes, lease, madeAt);
    return record;
  };

  const trainIfPossible: Trainer["trainIfPossible"] = async (appId, reason, newestId) => {
    // Another process may have trained the app before this one got the lease.
    const isStillWanted = async () => (await deps.models.list(appId))[0]?.modelId === newestId;
    const training = trainOnce(appId, { reason, isStillWanted, onProgress: () => undefined, signal: undefined });
    if (!unasked.has(appId)) unasked.set(appId, training);
    try {
      await training;
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      return error.kind === "aborted"; // another training runs, or did
    } finally {
      if (unasked.get(appId) === training) unasked.delete(appId);
    }
    return true;
  };

  return {
    async train(appId, onProgress, signal) {
      const before = unasked.get(appId);
      if (before !== undefined) {
        if (awaited.has(appId)) throw underWay();
        awaited.add(appId);
        // Whoever started it reports its failure.
        await before.catch(() => undefined).finally(() => awaited.delete(appId));
      }
      signal?.throwIfAborted();
      return trainOnce(appId, { reason: "requested", isStillWanted: async () => true, onProgress, signal });
    },
    async check(appId) {
      await existing(appId);
      // A caller waits for the end of one that nobody asked for, unless another does.
      if (awaited.has(appId) || (running.has(appId) && !unasked.has(appId))) throw underWay();
      await activityOf(appId);
    },
    trainIfPossible,
  };
}
