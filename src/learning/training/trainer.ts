import type { App } from "../../domain/app.js";
import type { Now } from "../../domain/clock.js";
import { Conflict, NotFound } from "../../domain/errors.js";
import {
  type ModelManifest,
  type ModelPointer,
  type ModelRecord,
  type SnapshotBytes,
  snapshotLength,
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
  readonly apps: Pick<AppStore, "get" | "list">;
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
   * Trains, one after the other, the apps in which something changed since their last training. An app without data is
   * no failure; it is skipped until something changes in it.
   */
  trainChanged(onFailure: (appId: string, error: unknown) => void): Promise<void>;
  /** Time of the oldest model whose app has newer data that could not be learned; null when every model is current. */
  behindSince(): number | null;
  /** Trains without being asked. False when there is no data; true also while another training of the app runs. */
  trainIfPossible(appId: string): Promise<boolean>;
}

export function createTrainer(deps: TrainerDependencies): Trainer {
  const running = new Set<string>();
  /** Trainings that nobody asked for, by app: somebody who asks waits for their end. */
  const unasked = new Map<string, Promise<unknown>>();
  /** Apps with somebody who waits so. */
  const awaited = new Set<string>();
  /** By app whose last scheduled training failed: time of the model it is left with, or of the app. */
  let behind = new Map<string, number>();
  /** By app: its activity when it had nothing to learn from. */
  const barren = new Map<string, string>();

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

  const trainOnce: Trainer["train"] = async (appId, onProgress, signal) => {
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
        return await learn(app, lease, onProgress, signal);
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
    onProgress: (progress: TrainingProgress) => void,
    signal: AbortSignal | undefined,
  ): Promise<ModelRecord> => {
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
    };
    onProgress({ stage: "publish", progress: 0.99 });
    await deps.publish(appId, record, bytes, lease, madeAt);
    return record;
  };

  const trainIfPossible = async (appId: string): Promise<boolean> => {
    const training = trainOnce(appId, () => undefined);
    if (!unasked.has(appId)) unasked.set(appId, training);
    try {
      await training;
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      return error.kind === "aborted"; // another training runs
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
      return trainOnce(appId, onProgress, signal);
    },
    async check(appId) {
      await existing(appId);
      // A caller waits for the end of one that nobody asked for, unless another does.
      if (awaited.has(appId) || (running.has(appId) && !unasked.has(appId))) throw underWay();
      await activityOf(appId);
    },
    trainIfPossible,
    behindSince: () => (behind.size === 0 ? null : Math.min(...behind.values())),
    async trainChanged(onFailure) {
      const failed = new Map<string, number>();
      for (let after = ""; ; ) {
        const apps = await deps.apps.list(after, 100);
        for (const { appId, createdAt } of apps) {
          after = appId;
          let modelTime = createdAt;
          try {
            const [activity, models] = await Promise.all([deps.models.activity(appId), deps.models.list(appId)]);
            modelTime = models[0]?.createdAt ?? createdAt;
            const seen = [models[0]?.activity ?? "", barren.get(appId)];
            if (seen.includes(activity) || running.has(appId)) continue;
            if (!(await trainIfPossible(appId))) barren.set(appId, activity);
          } catch (error) {
            failed.set(appId, modelTime);
            onFailure(appId, error);
          }
        }
        if (apps.length < 100) break;
      }
      behind = failed;
    },
  };
}
