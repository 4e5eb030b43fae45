import { CommanderError } from "commander";

/** The command failed. The message is one line for people; the process exits with `exitCode`. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Usage error; nothing was done. Exit code 2. */
export class UsageFailure extends Failure {
  constructor(message: string) {
    super(message, 2);
  }
}

/** The caller pressed Ctrl-C. */
export class Interrupted extends Failure {
  constructor() {
    super("interrupted", 130);
  }
}

/** Ends a command that was only tried, before it prints what it has not done. Exit code 0. */
export class DryRunEnd extends Error {}

/** Exit code and last line of a command; `line` is "" if the command has printed everything. */
export interface Ending {
  readonly exitCode: number;
  readonly line: string;
}

/**
 * One line and an exit code for the error that ended a command: 2 for a usage error, otherwise 1. Errors of other
 * folders with an `exitCode` (such as a bad configuration) keep it.
 */
export function endingOf(error: unknown): Ending {
  if (error instanceof CommanderError) {
    return { exitCode: error.exitCode === 0 ? 0 : 2, line: "" };
  }
  if (error instanceof Interrupted) return { exitCode: error.exitCode, line: "" };
  if (error instanceof Error && "exitCode" in error && typeof error.exitCode === "number") {
    return { exitCode: error.exitCode, line: oneLine(error.message) };
  }
  return { exitCode: 1, line: oneLine(error instanceof Error ? error.message : String(error)) };
}

function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, " ").trim();
}
