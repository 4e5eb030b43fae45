/** What a process writes to its standard error beside its log: lmdb's and V8's own words, stacks of uncaught errors. */
import type { Readable } from "node:stream";

/** A text is logged when nothing was added to it for this long. */
const QUIET_MS = 100;
/** Characters that are kept of what was written last, for the reason why the process ended. */
const MAX_KEPT = 2_000;

export interface ChildOutput {
  /** What it wrote last; undefined when it wrote nothing. */
  last(): string | undefined;
  /** Resolves when all of it was read. */
  readonly ended: Promise<void>;
}

/** Passes each text to `log`, its lines together. */
export function readChildOutput(output: Readable | null, log: (text: string) => void): ChildOutput {
  let kept = "";
  let text = "";
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    const said = text.trim();
    text = "";
    if (said !== "") log(said);
  };
  output?.setEncoding("utf8");
  output?.on("data", (chunk: string) => {
    kept = `${kept}${chunk}`.slice(-MAX_KEPT);
    text += chunk;
    clearTimeout(timer);
    if (text.length > MAX_KEPT) flush();
    else timer = setTimeout(flush, QUIET_MS).unref();
  });
  const ended = new Promise<void>((resolve) => {
    if (output === null) return resolve();
    output.once("close", () => {
      flush();
      resolve();
    });
  });
  return { last: () => kept.trim() || undefined, ended };
}
