import type { Readable } from "node:stream";
import tab from "@bomb.sh/tab/commander";
import { Command, Help } from "commander";
import type { FetchFeed } from "../catalog/feed/fetch-feed.js";
import type { Backup } from "./backup-command.js";
import { bold, cyan, hasColour, red } from "./colour.js";
import { SECTIONS } from "./commands.js";
import type { Doctor } from "./doctor-command.js";
import { DryRunEnd, endingOf, UsageFailure } from "./errors.js";
import { createJsonAnswers } from "./json-answer.js";
import type { Migrate } from "./migrate-command.js";
import { suggestNextStep } from "./next-step.js";
import { isPlainId } from "./option-values.js";
import { type Output, writeJson, writeLine } from "./output.js";
import type { ServeFlags } from "./serve-command.js";

/** The parts of the process that the command line needs. */
export interface ProgramDeps {
  /** Runs a server until a signal stops it. It may throw an error with an `exitCode`. */
  readonly serve: (flags: ServeFlags) => Promise<void>;
  /** Opens stores by itself. */
  readonly migrate: Migrate;
  readonly doctor: Doctor;
  readonly backup: Backup;
  /** Reads feeds by https. */
  readonly feedSource: (options: { readonly allowPrivate: boolean }) => FetchFeed;
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Rejects with an AbortError when the signal fires. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Stops commands that run until interrupted (`events tail --follow`). */
  readonly signal?: AbortSignal;
  readonly version: string;
}

/**
 * The command `aisle` with its subcommands. Parsing it throws instead of ending the process.
 *
 * @param called arguments after `aisle`: only the command that they name is complete, of the others the help shows name and
 * description. Without them all are complete.
 */
export async function createProgram(outer: ProgramDeps, called?: readonly string[]): Promise<Command> {
  const answers = createJsonAnswers(outer);
  const { deps } = answers;
  /** Commands whose options are not loaded. */
  const withoutOptions = new Set<Command>();
  const program = new Command("aisle")
    .description("Subscription status, event intake and product recommendations for web shops.")
    .version(deps.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => deps.stdout.write(text),
      writeErr: (text) => deps.stderr.write(text),
      getOutHelpWidth: () => deps.stdout.columns ?? 100,
      getErrHelpWidth: () => deps.stderr.columns ?? 100,
      getOutHasColors: () => hasColour(outer.stdout, deps.env),
      getErrHasColors: () => hasColour(deps.stderr, deps.env),
      outputError: (text, write) => write(hasColour(deps.stderr, deps.env) ? red(text) : text),
    })
    .configureHelp({
      styleTitle: bold,
      styleCommandText: cyan,
      styleOptionTerm: cyan,
      styleSubcommandTerm: cyan,
      subcommandTerm: (command) =>
        new Help().subcommandTerm(command) + (withoutOptions.has(command) ? " [options]" : ""),
    })
    .showHelpAfterError("(add --help for usage)")
    .addHelpText(
      "after",
      `
Example:
  $ aisle serve --store embedded:./aisle-data --demo
  $ aisle app create shop1 --name "My shop"
  $ aisle import products products.csv --app shop1
  $ aisle import events events.csv.gz --app shop1
  $ aisle train --app shop1
  $ aisle recommend --app shop1 --current 4711

"serve", "token", "migrate", "backup" and "doctor" work alone. All other commands call a running server:
--server, else AISLE_SERVER, else http://127.0.0.1 at AISLE_RPC_PORT or 8081. AISLE_APP is the app where --app is left out.
Exit codes: 0 success, 1 failure, 2 usage error.`,
    );
  for (const { title, commands } of SECTIONS) {
    program.commandsGroup(title);
    for (const { name, description, isGroup, load } of commands) {
      const command = program.command(name).description(description);
      if (called !== undefined && name !== commandOf(called)) {
        if (!isGroup) withoutOptions.add(command);
        continue;
      }
      const define = await load();
      define(command, deps);
      answers.addTo(command, [name]);
      takeAppFrom(deps.env, command);
    }
  }
  program.commandsGroup("The shell:");
  tab(program, { completionCommandName: "completion" });
  program.commands
    .find((command) => command.name() === "completion")
    ?.description("print a script that completes commands and options in a shell")
    .addHelpText("after", "\nExample:\n  $ aisle completion bash > ~/.local/share/bash-completion/completions/aisle");
  suggestNextStep(program, deps);
  return program;
}

/** The first word after `aisle`; of `help` and `complete`, which are about another command, the second one. */
function commandOf(args: readonly string[]): string | undefined {
  const [first, second] = args.filter((arg) => !arg.startsWith("-"));
  return first === "help" || first === "complete" ? second : first;
}

/** Makes AISLE_APP the value of every `--app` that a command needs and nobody gave. */
function takeAppFrom(env: ProgramDeps["env"], command: Command): void {
  for (const child of command.commands) takeAppFrom(env, child);
  const option = command.options.find(({ long, mandatory }) => long === "--app" && mandatory);
  if (option === undefined) return;
  option.description += " (AISLE_APP)";
  const app = env.AISLE_APP?.trim() ?? "";
  if (app === "") return;
  command.setOptionValueWithSource("app", app, "env");
  command.hook("preAction", () => {
    if (command.getOptionValueSource("app") === "env" && !isPlainId(app))
      throw new UsageFailure("AISLE_APP: 1 to 64 letters, digits, _ or - are accepted");
  });
}

/**
 * Runs one command to its end.
 *
 * @param args the arguments after `aisle`
 *
 * @returns the exit code; an error is one line on stderr
 */
export async function runProgram(deps: ProgramDeps, args: readonly string[]): Promise<number> {
  // `aisle events tail --follow | head` closes the pipe when it has read enough; that is no failure.
  deps.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  try {
    const program = await createProgram(deps, args);
    await program.parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof DryRunEnd) {
      if (args.includes("--json")) writeJson(deps.stdout, { dryRun: true });
      else writeLine(deps.stdout, "Dry run: the server accepts this; nothing was changed");
      return 0;
    }
    const { exitCode, line } = endingOf(error);
    const head = hasColour(deps.stderr, deps.env) ? red("error:") : "error:";
    if (line !== "") writeLine(deps.stderr, `${head} ${line}`);
    return exitCode;
  }
}
