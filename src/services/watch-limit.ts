import { Code } from "@connectrpc/connect";
import type { Metrics } from "../adapters/metrics.js";
import { refusal } from "./errors/error-info.js";

/** Open calls of WatchEvents and WatchSubscriptions of one server process. */
export const MAX_WATCHES = 1000;
/** Those of one app. */
export const MAX_WATCHES_OF_APP = 300;

/** Counts open watches. */
export class WatchLimit {
  private readonly byApp = new Map<string, number>();
  private all = 0;

  constructor(private readonly metrics: Metrics) {
    metrics.watch?.("watches", () => this.all);
  }

  /** Returns what ends the watch. Throws RESOURCE_EXHAUSTED when there are too many. */
  enter(appId: string): () => void {
    const ofApp = this.byApp.get(appId) ?? 0;
    if (ofApp >= MAX_WATCHES_OF_APP) throw this.refuse(`The app has ${MAX_WATCHES_OF_APP} watches`, MAX_WATCHES_OF_APP);
    if (this.all >= MAX_WATCHES) throw this.refuse(`The server has ${MAX_WATCHES} watches`, MAX_WATCHES);
    this.all++;
    this.byApp.set(appId, ofApp + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.all--;
      const left = (this.byApp.get(appId) ?? 0) - 1;
      if (left > 0) this.byApp.set(appId, left);
      else this.byApp.delete(appId);
    };
  }

  private refuse(text: string, limit: number) {
    this.metrics.count("shed", { reason: "watches" });
    const advice = "and takes no more: end one, or let one watch serve several readers";
    return refusal(`${text} ${advice}`, Code.ResourceExhausted, "TOO_MANY_WATCHES", { limit: String(limit) });
  }
}
