import { basename } from "node:path";
import { MultiBar, Presets, type SingleBar } from "cli-progress";
import { count, type Output, shorten, writeLine } from "../output.js";

/** Milliseconds between plain progress lines. */
const LINE_EVERY_MS = 3000;

export interface ProgressOptions {
  readonly output: Output;
  readonly name: string;
  /** Null when the size is not known. */
  readonly totalBytes: number | null;
  readonly now: () => number;
}

/** Shows the progress of an import: a bar on a terminal when the size is known, otherwise a line every few seconds. */
export interface Progress {
  update(bytes: number, lines: number): void;
  /** A line of its own, above the bar. */
  note(text: string): void;
  stop(): void;
}

export function createProgress({ output, name, totalBytes, now }: ProgressOptions): Progress {
  const startedAt = now();
  const rate = (lines: number) => count(Math.round(lines / Math.max(0.001, (now() - startedAt) / 1000)));

  if (output.isTTY && totalBytes !== null && totalBytes > 0) {
    const bars = new MultiBar(
      {
        stream: output,
        format: `${shorten(basename(name), 24)} {bar} {percentage} % | {lines} lines | {rate} lines/s`,
        barsize: 20,
        // Terminal settings are not changed, so that nothing needs restoring when a signal ends the process.
        hideCursor: false,
        linewrap: true,
        gracefulExit: false,
      },
      Presets.shades_classic,
    );
    const bar: SingleBar = bars.create(totalBytes, 0, { lines: "0", rate: "0" });
    return {
      update: (bytes, lines) => bar.update(Math.min(bytes, totalBytes), { lines: count(lines), rate: rate(lines) }),
      note: (text) => bars.log(`${text}\n`),
      stop() {
        bars.update(); // writes the pending notes; stop alone would drop them
        bars.stop();
      },
    };
  }

  let shownAt = startedAt;
  return {
    update(bytes, lines) {
      if (now() - shownAt < LINE_EVERY_MS) return;
      shownAt = now();
      const share = totalBytes ? `${Math.floor((100 * bytes) / totalBytes)} %, ` : "";
      writeLine(output, `${name}: ${share}${count(lines)} lines, ${rate(lines)} lines/s`);
    },
    note: (text) => writeLine(output, text),
    stop() {},
  };
}
