import { SingleBar } from "cli-progress";
import { count, type Output, writeLine } from "./output.js";

/** Milliseconds between plain progress lines. */
const LINE_EVERY_MS = 3000;

export interface MigrateStage {
  readonly appId: string;
  /** `copying` or `comparing`. */
  readonly stage: string;
  readonly table: string;
  /** Rows of the table so far. */
  readonly rows: number;
}

export interface MigrateProgress {
  update(stage: MigrateStage): void;
}

/**
 * One line that changes on a terminal, otherwise a line every few seconds. The number of rows is known only at the end.
 */
export function createMigrateProgress(output: Output, now: () => number) {
  let bar: SingleBar | undefined;
  let shownAt = now();

  const pause = (): void => {
    bar?.stop();
    bar = undefined;
  };

  return {
    update({ appId, stage, table, rows }: MigrateStage): void {
      const text = `${appId}: ${stage} ${table}, ${count(rows)} rows`;
      if (output.isTTY) {
        if (bar === undefined) {
          bar = new SingleBar({ stream: output, format: "{text}", hideCursor: false, gracefulExit: false });
          bar.start(1, 0, { text });
        }
        bar.update(0, { text });
      } else if (now() - shownAt >= LINE_EVERY_MS) {
        shownAt = now();
        writeLine(output, text);
      }
    },
    /** A line of its own. */
    note(line: string): void {
      pause();
      writeLine(output, line);
    },
    /** Clears the line for other output. */
    pause,
  };
}
