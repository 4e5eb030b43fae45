import { createInterface } from "node:readline/promises";
import type { CommandDeps } from "./deps.js";
import { UsageFailure } from "./errors.js";

type Terminal = Pick<CommandDeps, "stdin" | "stderr" | "signal">;

/** True when a person can answer: standard input and standard error are a terminal. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return "isTTY" in stdin && stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks on standard error; an empty answer is yes. */
export async function confirm(deps: Terminal, question: string): Promise<boolean> {
  const answer = (await ask(deps, `${question} [Y/n] `)).toLowerCase();
  return answer === "" || answer === "y" || answer === "yes";
}

/**
 * Lets a command that cannot be undone go on: with `--yes`, in a dry run, or when the person at the terminal types `word`.
 * @throws UsageFailure otherwise; nothing was done
 */
export async function confirmLoss(
  deps: Terminal,
  { yes = false, loss, word }: { readonly yes?: boolean | undefined; readonly loss: string; readonly word: string },
): Promise<void> {
  if (yes) return;
  if (!canAsk(deps)) throw new UsageFailure(`${loss}; --yes confirms that`);
  const answer = await ask(deps, `${loss}. Type ${word} to go on: `);
  if (answer !== word) throw new UsageFailure("Nothing was done");
}

async function ask({ stdin, stderr, signal }: Terminal, question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return (await lines.question(question, signal === undefined ? {} : { signal })).trim();
  } finally {
    lines.close();
  }
}
