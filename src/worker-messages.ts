import type { Figures } from "./adapters/metrics/prometheus.js";
import type { Config } from "./config.js";
import type { Duties, Ports } from "./duties.js";
import type { LimitQuestion, LimitVerdict } from "./shared-sender-limit.js";

/** What a process that was started by the primary says to it. */
export type FromWorker =
  | { readonly kind: "hello" }
  /** It listens, and waits for its store. */
  | { readonly kind: "waiting" }
  | { readonly kind: "ready"; readonly demo: boolean }
  /** It cannot run. The text is for the operator. */
  | { readonly kind: "failed"; readonly text: string; readonly exitCode: number }
  /** It was asked for the metrics of all processes. */
  | { readonly kind: "scrape"; readonly round: number }
  /** What it has counted itself. */
  | { readonly kind: "figures"; readonly round: number; readonly figures: Figures }
  | { readonly kind: "ask"; readonly round: number; readonly questions: readonly LimitQuestion[] };

/** What the primary says to it. */
export type ToWorker =
  | { readonly kind: "start"; readonly config: Config; readonly duties: Duties; readonly ports: Ports }
  | { readonly kind: "stop" }
  /** Asks what it has counted. */
  | { readonly kind: "count"; readonly round: number }
  /** What all processes have counted. */
  | { readonly kind: "counted"; readonly round: number; readonly figures: readonly Figures[] }
  | { readonly kind: "verdicts"; readonly round: number; readonly verdicts: readonly LimitVerdict[] };
