import { Writable } from "node:stream";
import type { JsonValue } from "@bufbuild/protobuf";
import type { Command } from "commander";
import type { ClientDeps } from "./client.js";
import { type Output, writeJson } from "./output.js";
import type { ProgramDeps } from "./program.js";

/** Print no text of their own for people: a script, log lines of JSON, or JSON in any case. */
const WITHOUT = ["serve", "privacy export"];

/**
 * `--json` for commands that print a sentence about the answer of a call: then they print the answer instead. Commands
 * with a `--json` of their own keep it.
 */
export function createJsonAnswers(deps: ProgramDeps): {
  readonly deps: ProgramDeps & ClientDeps;
  /** `path` has the words of the command after `aisle`. */
  readonly addTo: (command: Command, path: readonly string[]) => void;
} {
  const nowhere: Output = new Writable({ write: (_chunk, _encoding, done) => done() });
  let isOn = false;
  let last: JsonValue | undefined;
  const inner: ProgramDeps & ClientDeps = {
    ...deps,
    get stdout() {
      return isOn ? nowhere : deps.stdout;
    },
    onAnswer: (answer) => {
      if (isOn) last = answer();
    },
  };
  const addTo = (command: Command, path: readonly string[]): void => {
    for (const child of command.commands) addTo(child, [...path, child.name()]);
    const isGroup = command.commands.length > 0;
    if (isGroup || WITHOUT.includes(path.join(" ")) || command.options.some(({ long }) => long === "--json")) return;
    command
      .option("--json", "print the server's answer as JSON")
      .hook("preAction", () => {
        isOn = command.opts<{ json?: boolean }>().json === true;
      })
      .hook("postAction", () => {
        if (isOn) writeJson(deps.stdout, last ?? {});
        isOn = false;
      });
  };
  return { deps: inner, addTo };
}
