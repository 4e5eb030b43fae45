import type { Ports, RoleTasks } from "../roles.js";
import type { Config } from "../settings/config.js";

/**
 * The file descriptor of a worker's log: the primary's standard error. The worker's own standard error leads to the
 * primary.
 */
export const LOG_FILE = 4;

/** Messages of a process to the primary. */
export type FromWorker =
  | { readonly kind: "hello" }
  /** `storeId` is the id of its embedded store. */
  | { readonly kind: "ready"; readonly demo: boolean; readonly storeId: string | undefined }
  /** Its store takes no more writes; replace it. */
  | { readonly kind: "latched"; readonly reason: string }
  /** It cannot run. The text is for the operator. */
  | { readonly kind: "failed"; readonly text: string; readonly exitCode: number };

/** Messages of the primary. */
export type ToWorker =
  | {
      readonly kind: "start";
      readonly config: Config;
      readonly duties: RoleTasks;
      readonly ports: Ports;
      /** Set when a process has had an embedded store open: this one opens no other, and creates none. */
      readonly storeId: string | undefined;
    }
  | { readonly kind: "stop" };
