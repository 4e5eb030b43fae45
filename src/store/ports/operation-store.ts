import type { Operation } from "../../domain/operation.js";

/** Reads operations. A unit of work writes them. */
export interface OperationStore {
  get(appId: string, operationId: string): Promise<Operation | undefined>;
  /** Up to `limit` operations with ids less than `before`, newest first. "" starts at the newest. */
  list(appId: string, before: string, limit: number): Promise<Operation[]>;
}
