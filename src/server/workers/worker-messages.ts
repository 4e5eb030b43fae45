import type { Figures } from "../../adapters/metrics/prometheus.js";
import type { Ports, RoleTasks } from "../roles.js";
import type { Config } from "../settings/config.js";
import type { LimitQuestion, LimitVerdict } from "./worker-sender-limit.js";

/** The file descriptor of a worker's log: the primary's standard error. Its own leads to the primary. */
export const LOG_FILE = 4;

/** What a process that was started by the primary says to it. */
export type FromWorker =
  | { readonly kind: "hello" }
  /** It listens, and waits for its store. */
  | { readonly kind: "waiting" }
  /** `storeId` is that of its embedded store. */
  | { readonly kind: "ready"; readonly demo: boolean; readonly storeId: string | undefined }
  /** Its store takes no writes any more; it is to be replaced. */
  | { readonly kind: "latched"; readonly reason: string }
  /** It cannot run. The text is for the operator. */
  | { readonly kind: "failed"; readonly text: string; readonly exitCode: number }
  /** It was asked for the metrics of all processes. */
  | { readonly kind: "scrape"; readonly round: number }
  /** What it has counted itself. */
  | { readonly kind: "figures"; readonly round: number; readonly figures: Figures }
  | { readonly kind: "ask"; readonly round: number; readonly questions: readonly LimitQuestion[] };

/** What the primary says to it. */
export type ToWorker =
  | {
      readonly kind: "start";
      readonly config: Config;
      readonly duties: RoleTasks;
      readonly ports: Ports;
      /** Set when a process has had an embedded store open: this one opens no other, and makes none. */
      readonly storeId: string | undefined;
    }
  | { readonly kind: "stop" }
  /** Asks what it has counted. */
  | { readonly kind: "count"; readonly round: number }
  /** What all processes have counted. */
  | { readonly kind: "counted"; readonly round: number; readonly figures: readonly Figures[] }
  | { readonly kind: "verdicts"; readonly round: number; readonly verdicts: readonly LimitVerdict[] };
