import type { ModelPointer, ModelRecord, SnapshotBytes } from "../../domain/model.js";
import type { Lease } from "./lease.js";

/** Model snapshots, and the pointer to the snapshot that serves. */
export interface ModelStore {
  /**
   * Makes a snapshot durable: bytes first, then its record. It does not serve yet. Rejects with NotFound when the app was
   * removed meanwhile, or was not created at `madeAt`. With `lease` it rejects with Conflict("training_running") when another
   * process has taken the lease; the same write checks that. A rejected call stores nothing.
   */
  put(appId: string, record: ModelRecord, bytes: SnapshotBytes, madeAt?: number, lease?: Lease): Promise<void>;
  /**
   * Bytes of a stored snapshot, in the pieces that were put, each at an address of its own. Rejects with DataDamaged when they
   * do not match their checksum.
   */
  read(appId: string, modelId: string): Promise<SnapshotBytes | undefined>;
  /** Records of stored snapshots, newest first. */
  list(appId: string): Promise<ModelRecord[]>;
  pointer(appId: string): Promise<ModelPointer | undefined>;
  /**
   * Replaces the pointer with the result of `move`, atomically and durably, and returns it. `move` may be called more than
   * once. With `lease` it rejects with Conflict("training_running") when another process has taken the lease; the same write checks
   * that. Rejects with NotFound("model") when the store does not have that model.
   */
  setPointer(
    appId: string,
    move: (before: ModelPointer | undefined) => ModelPointer,
    lease?: Lease,
  ): Promise<ModelPointer>;
  /** Removes all snapshots except the newest `keep` and the one that serves. */
  prune(appId: string, keep: number): Promise<void>;
  /**
   * A text that changes whenever training data changes (`Transaction.markChanged`); "" for an app without any such change.
   */
  activity(appId: string): Promise<string>;
}
