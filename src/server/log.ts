/**
 * The log: JSON, one line a record, on standard error. It never logs a caller's data on purpose. Accidental data is
 * made harmless: characters that end a line or steer a terminal are escaped, and texts are cut. Drivers and parsers
 * quote their input in error messages, so quoted words are left out.
 */
import { type Logger, pino } from "pino";
import type { LogLevel } from "./settings/config.js";

export type { Logger } from "pino";

/** Maximum characters of one text; a stack has some 1,500. */
const MAX_TEXT = 4096;
/** Maximum characters of an error's message, before its stack. */
const MAX_WORDS = 1024;
/** Maximum causes logged of an error. */
const MAX_CAUSES = 4;

export function createLog(level: LogLevel, write: (line: string) => void = writeTo(2)): Logger {
  const options = {
    level,
    serializers: { err: describe, error: describe },
    formatters: { log: (fields: Record<string, unknown>) => eachCut(fields) },
    hooks: {
      logMethod(this: Logger, args: Parameters<pino.LogFn>, method: pino.LogFn) {
        const [first, second, ...rest] = args;
        // With a second value, even an undefined one, the message would be taken for a format.
        if (args.length === 1) method.apply(this, [cutText(first)]);
        else method.apply(this, [cutText(first), cutText(second), ...rest]);
      },
    },
  };
  return pino(options, { write: (line: string) => write(escaped(line)) });
}

/** An error and its causes: class, message and stack. */
export function describe(error: unknown): string {
  const texts: string[] = [];
  for (let one = error; one instanceof Error && texts.length <= MAX_CAUSES; one = one.cause)
    texts.push(withoutValues(one));
  return cut(texts.join(" caused by ") || "unknown");
}

/** Removes possibly personal parts from a text. */
export function withoutPersonal(text: string): string {
  return text.replace(QUOTED, '"…"').replace(PERSONAL, "…");
}

/** The frames of a stack stay whole; the message before them is cut, and loses possibly personal parts. */
function withoutValues({ stack, message }: Error): string {
  const at = stack?.indexOf(message) ?? -1;
  const text = stack !== undefined && at >= 0 ? stack : message;
  const end = Math.max(at, 0) + message.length;
  const frames = text.slice(end);
  const words = withoutPersonal(text.slice(0, Math.min(end, MAX_TEXT)));
  return (words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words) + frames;
}

/** E-mail addresses, and numbers as long as phone numbers. */
const PERSONAL = /[^\s@]{1,64}@[^\s@]{1,255}|\+?\d[\d ()/-]{6,}\d/g;
const QUOTED = /"(?:[^"\\]|\\.)*"?/gs;

/** JSON escapes only characters below U+0020. This also escapes DEL, the C1 controls, and two line ends of Unicode. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029]/g;

function escaped(line: string): string {
  return line.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function eachCut(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cutText(value)]));
}

function cutText<T>(value: T): T | string {
  return typeof value === "string" ? cut(value) : value;
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}

/** Characters kept while the file takes none; later lines are dropped. */
const MAX_UNWRITTEN = 2 ** 20;

/** Writes lines to an open file of this process. A file that takes none, as on a full disk, ends no process. */
export function writeTo(file: number): (line: string) => void {
  const destination = pino.destination({ dest: file, maxLength: MAX_UNWRITTEN });
  // There is nowhere to say that a write failed; the next line tries again. pino's flush at the exit would try for ever.
  const flush = destination.flushSync.bind(destination);
  destination.on("error", () => {
    destination.flushSync = () => undefined;
  });
  destination.on("write", () => {
    destination.flushSync = flush;
  });
  return (line) => void destination.write(line);
}
