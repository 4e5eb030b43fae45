/** Text that a process writes to standard error besides its log: messages of lmdb and V8, stacks of uncaught errors. */
import type { Readable } from "node:stream";

/** A text is logged when nothing was added to it for this long. */
const QUIET_MS = 100;
/** Characters kept of the last output, as the reason why the process ended. */
const MAX_KEPT = 2_000;

export interface ChildOutput {
  /** The last output; undefined when there was none. */
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
