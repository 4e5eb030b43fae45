/**
 * The log: JSON, one line a record, on standard error. What a caller sends is never logged on purpose; what may come
 * along is made harmless: characters that end a line or steer a terminal are escaped, texts are cut, and of an error's
 * words those in quotation marks, which is how drivers and parsers cite what they were given, are left out.
 */
import { type Logger, pino } from "pino";
import type { LogLevel } from "./config.js";

/** Characters of one text; a stack has some 1,500. */
const MAX_TEXT = 4096;
/** Errors that are told as the causes of others. */
const MAX_CAUSES = 4;

export function createLog(level: LogLevel, write: (line: string) => void = standardError()): Logger {
  const options = {
    level,
    serializers: { err: describe, error: describe },
    formatters: { log: (fields: Record<string, unknown>) => eachCut(fields) },
    hooks: {
      logMethod(this: Logger, args: Parameters<pino.LogFn>, method: pino.LogFn) {
        const [first, second, ...rest] = args;
        method.apply(this, [cutText(first), cutText(second), ...rest]);
      },
    },
  };
  return pino(options, { write: (line: string) => write(escaped(line)) });
}

/** An error and what caused it: class, words, and where it was thrown. */
export function describe(error: unknown): string {
  const texts: string[] = [];
  for (let one = error; one instanceof Error && texts.length <= MAX_CAUSES; one = one.cause)
    texts.push((one.stack ?? one.message).replace(QUOTED, '"…"'));
  return cut(texts.join(" caused by ") || "unknown");
}

const QUOTED = /"(?:[^"\\]|\\.)*"?/gs;

/** Escaped by JSON are only those below U+0020: left are DEL, the C1 controls, and two line ends of Unicode. */
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

function standardError(): (line: string) => void {
  const destination = pino.destination(2);
  return (line) => void destination.write(line);
}
