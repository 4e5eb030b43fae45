import type { Now } from "../../domain/clock.js";
import { NotFound } from "../../domain/errors.js";
import { type ModelPointer, type ModelRecord, type SnapshotBytes, snapshotLength } from "../../domain/model.js";
import { versionText } from "../../domain/version-text.js";
import type { Lease } from "../../store/ports/lease.js";
import type { ModelStore } from "../../store/ports/model-store.js";

/** A model in memory, with the pointer it serves under. */
export interface Serving<M> {
  readonly model: M;
  readonly pointer: ModelPointer;
}

/** The serving models of all apps, and their changes. */
export interface ModelRegistry<M> {
  /** The serving model; undefined before the first one. Loads it on first use. */
  current(appId: string): Promise<Serving<M> | undefined>;
  /**
   * Loads a stored model beside the old one, then moves the pointer under a new version text and swaps. The old one
   * answers requests in between. Rejects with NotFound("model") for a missing model.
   */
  activate(appId: string, modelId: string, isTried?: boolean): Promise<ModelPointer>;
  /**
   * Holds the app on the model that serves, or releases it: then the newest model serves. NotFound("model") without a model.
   * Both return a pointer without a new version, and change nothing, with `isTried`.
   */
  hold(appId: string, isHeld: boolean, isTried?: boolean): Promise<ModelPointer>;
  /**
   * Keeps a new snapshot, puts it into service and removes all but the newest three. Rejects with Conflict("training_running"),
   * and the old one goes on, when the lease it was trained under was taken over; with NotFound("app") when the app is not
   * the one created at `madeAt` any more.
   */
  publish(
    appId: string,
    record: ModelRecord,
    bytes: SnapshotBytes,
    lease?: Lease,
    madeAt?: number,
  ): Promise<ModelPointer>;
  /** Checks, for every app in memory, whether another process has published, and loads its model. */
  lookAgain(): Promise<void>;
  /** Bytes of the snapshot of each model in memory. */
  sizes(): Iterable<readonly [appId: string, bytes: number]>;
  forget(appId: string): void;
}

export interface ModelRegistryDependencies<M> {
  readonly models: ModelStore;
  /** Makes a model from the bytes of a snapshot. */
  readonly load: (modelId: string, bytes: SnapshotBytes) => Promise<M>;
  readonly now: Now;
  /** The version text an app had before its first model, so that it is not used again. */
  readonly firstVersionOf: (appId: string) => Promise<string>;
}

/** Stored snapshots of each app, the serving one included. */
const KEPT_SNAPSHOTS = 3;
/** Interval for reading the pointer, to find models that other processes published. */
const LOOK_AGAIN_MS = 1000;
const MAX_USED_VERSIONS = 1000;

export function createModelRegistry<M>(deps: ModelRegistryDependencies<M>): ModelRegistry<M> {
  interface Entry {
    serving: Promise<Serving<M> | undefined>;
    lookedAt: number;
    looking: boolean;
  }
  const entries = new Map<string, Entry>();
  const sizes = new Map<string, number>();

  const loadBytes = async (appId: string, modelId: string, bytes: SnapshotBytes): Promise<M> => {
    const model = await deps.load(modelId, bytes);
    sizes.set(appId, snapshotLength(bytes));
    return model;
  };

  const load = async (appId: string, pointer: ModelPointer): Promise<Serving<M>> => {
    const bytes = await deps.models.read(appId, pointer.modelId);
    if (bytes === undefined) throw new NotFound("model");
    return { model: await loadBytes(appId, pointer.modelId, bytes), pointer };
  };

  const open = async (appId: string): Promise<Serving<M> | undefined> => {
    const pointer = await deps.models.pointer(appId);
    return pointer === undefined ? undefined : load(appId, pointer);
  };

  /** Another process may have moved the pointer: load its model while the present one answers. */
  const lookAgain = async (appId: string, entry: Entry): Promise<void> => {
    const [pointer, serving] = await Promise.all([deps.models.pointer(appId), entry.serving]);
    if (pointer?.version === serving?.pointer.version) return;
    if (pointer === undefined) {
      // Another process deleted the app. A new app with its id begins without a model.
      if (entries.get(appId) === entry) entry.serving = Promise.resolve(undefined);
      return;
    }
    const fresh =
      serving !== undefined && pointer.modelId === serving.pointer.modelId
        ? { model: serving.model, pointer }
        : await load(appId, pointer);
    if (entries.get(appId) === entry) entry.serving = Promise.resolve(fresh);
  };

  /** The model in memory continues to serve when this fails; the next check tries again. */
  const look = async (appId: string, entry: Entry): Promise<void> => {
    if (entry.looking) return;
    entry.looking = true;
    try {
      await lookAgain(appId, entry);
    } catch {
      // see above
    } finally {
      entry.looking = false;
      entry.lookedAt = deps.now();
    }
  };

  /** `isHeld` null: the result of a training, which does not replace a model that is held. */
  const moveTo = async (
    appId: string,
    modelId: string,
    model: M,
    isHeld: boolean | null,
    lease?: Lease,
  ): Promise<ModelPointer> => {
    const firstVersion = await deps.firstVersionOf(appId);
    const at = deps.now();
    const move = (before: ModelPointer | undefined): ModelPointer => {
      if (isHeld === null && before?.isHeld) return before;
      const used = new Set(before?.usedVersions ?? [firstVersion]);
      const version = versionText(at, (text) => used.has(text));
      const usedVersions = [...used, version].slice(-MAX_USED_VERSIONS);
      return { modelId, version, activatedAt: at, usedVersions, isHeld: isHeld ?? false };
    };
    const pointer = await deps.models.setPointer(appId, move, lease);
    if (pointer.modelId === modelId)
      entries.set(appId, { serving: Promise.resolve({ model, pointer }), lookedAt: at, looking: false });
    return pointer;
  };

  const activate = async (appId: string, modelId: string, isHeld: boolean, isTried: boolean): Promise<ModelPointer> => {
    const bytes = await deps.models.read(appId, modelId);
    if (bytes === undefined) throw new NotFound("model");
    const model = isTried ? await deps.load(modelId, bytes) : await loadBytes(appId, modelId, bytes);
    if (isTried) return { modelId, version: "", activatedAt: deps.now(), usedVersions: [], isHeld };
    return moveTo(appId, modelId, model, isHeld);
  };

  return {
    current(appId) {
      let entry = entries.get(appId);
      const now = deps.now();
      if (entry === undefined) {
        const opened: Entry = { serving: open(appId), lookedAt: now, looking: false };
        entries.set(appId, opened);
        // everyone who waits for the model gets the error
        opened.serving.catch(() => {
          if (entries.get(appId) === opened) entries.delete(appId);
        });
        entry = opened;
      } else if (now - entry.lookedAt >= LOOK_AGAIN_MS) void look(appId, entry);
      return entry.serving;
    },

    activate: (appId, modelId, isTried = false) => activate(appId, modelId, true, isTried),

    async hold(appId, isHeld, isTried = false) {
      const [newest] = await deps.models.list(appId);
      const serving = await deps.models.pointer(appId);
      if (newest === undefined || serving === undefined) throw new NotFound("model");
      if (!isHeld && newest.modelId !== serving.modelId) return activate(appId, newest.modelId, false, isTried);
      if (isTried) return { ...serving, isHeld };
      return deps.models.setPointer(appId, (before) => ({ ...(before ?? serving), isHeld }));
    },

    async publish(appId, record, bytes, lease, madeAt) {
      const model = await loadBytes(appId, record.modelId, bytes);
      await deps.models.put(appId, record, bytes, madeAt, lease);
      const pointer = await moveTo(appId, record.modelId, model, null, lease);
      await deps.models.prune(appId, KEPT_SNAPSHOTS);
      return pointer;
    },

    async lookAgain() {
      for (const [appId, entry] of [...entries]) await look(appId, entry);
    },

    sizes: () => [...sizes].filter(([appId]) => entries.has(appId)),

    forget(appId) {
      entries.delete(appId);
      sizes.delete(appId);
    },
  };
}
