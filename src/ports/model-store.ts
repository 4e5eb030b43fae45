import type { ModelPointer, ModelRecord } from "../domain/model.js";
import type { Lease } from "./lease.js";

/** Snapshots and the pointer to the one that serves. */
export interface ModelStore {
  /**
   * Makes a snapshot durable: bytes first, then its record. It does not serve yet. Rejects with NotFound, and keeps
   * nothing, when the app is removed meanwhile.
   */
  put(appId: string, record: ModelRecord, bytes: Uint8Array): Promise<void>;
  /** Bytes of a kept snapshot. DataDamaged when they do not match their checksum. */
  read(appId: string, modelId: string): Promise<Uint8Array | undefined>;
  /** Records of kept snapshots, newest first. */
  list(appId: string): Promise<ModelRecord[]>;
  pointer(appId: string): Promise<ModelPointer | undefined>;
  /**
   * Moves the pointer, durably and at once. With `lease` named it is moved only while nobody else has taken that lease,
   * decided in the same write; else rejects with Conflict("aborted").
   */
  setPointer(appId: string, pointer: ModelPointer, lease?: Lease): Promise<void>;
  /** Removes all but the newest `keep` snapshots and the one that serves. */
  prune(appId: string, keep: number): Promise<void>;
  /**
   * A text that changes whenever what training reads has changed (`Transaction.markChanged`); "" for an app in which
   * nothing happened yet.
   */
  activity(appId: string): Promise<string>;
}
