import { Presets, SingleBar } from "cli-progress";
import { type Output, writeLine } from "./output.js";

/** Shows the progress of long work on the server. */
export interface Stages {
  /** Shows `stage` as it is; `share` of the work is done, 0 to 1. */
  show(stage: string, share: number): void;
  stop(): void;
}

/** A bar on a terminal, otherwise a line for each stage. */
export function createStages(output: Output, name: string): Stages {
  if (output.isTTY) {
    const format = `${name} {bar} {percentage} % | {stage}`;
    const bar = new SingleBar(
      { stream: output, format, barsize: 20, hideCursor: false, linewrap: true, gracefulExit: false },
      Presets.shades_classic,
    );
    let started = false;
    return {
      show(stage: string, share: number) {
        if (!started) bar.start(100, 0, { stage });
        started = true;
        bar.update(Math.round(share * 100), stage ? { stage } : {});
      },
      stop() {
        if (started) bar.stop();
      },
    };
  }
  let last = "";
  return {
    show(stage: string, share: number) {
      if (stage !== "" && stage !== last) writeLine(output, `${Math.round(share * 100)} % ${stage}`);
      last = stage;
    },
    stop() {},
  };
}
