import type { Command } from "commander";
import { type Output, writeLine } from "./output.js";

/**
 * The command that most shops need after this one, by command; APP stands for the app. Commands that end a task have none.
 */
const NEXT: Readonly<Record<string, string>> = {
  "app create": "aisle import products FEED --app APP --currency EUR",
  "app set": "aisle app list",
  "import products": "aisle import events FILE --app APP",
  "import events": "aisle train --app APP",
  "import contacts": "aisle status --app APP --email ADDRESS",
  train: "aisle recommend --app APP --current PRODUCT --why",
  recommend: "aisle evaluate --app APP",
  evaluate: "aisle frame set --app APP --id FRAME",
  "frame set": "aisle recommend --app APP --frame FRAME",
  "feed set": "aisle feed run --app APP --id FEED",
  "feed run": "aisle check --app APP",
  "hook set": "aisle hook failed --app APP",
  "privacy export": "aisle privacy erase --app APP --dry-run",
};

/** Says on a terminal, after a command that went well, which one to run next. */
export function suggestNextStep(
  program: Command,
  { stdout, stderr }: { readonly stdout: Output; readonly stderr: Output },
): void {
  program.hook("postAction", (_, command) => {
    const options = command.opts<{ app?: string; json?: boolean }>();
    const next = NEXT[pathOf(command)];
    if (next === undefined || options.json || !stdout.isTTY) return;
    writeLine(stderr, `Next: ${next.replace("APP", options.app ?? command.args[0] ?? "APP")}`);
  });
}

/** The words of a command after `aisle`. */
function pathOf(command: Command): string {
  const words: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) words.unshift(at.name());
  return words.join(" ");
}
