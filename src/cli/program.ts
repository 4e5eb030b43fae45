import { Writable } from "node:stream";
import tab from "@bomb.sh/tab/commander";
import type { JsonValue } from "@bufbuild/protobuf";
import { Command, Help } from "commander";
import type { Backup } from "./backup-command.js";
import type { CommandDeps } from "./deps.js";
import type { Doctor } from "./doctor-command.js";
import { DryRunEnd, endingOf, UsageFailure } from "./errors.js";
import type { Migrate } from "./migrate-command.js";
import { isPlainId } from "./option-values.js";
import { bold, cyan, hasColour, type Output, red, writeJson, writeLine } from "./output.js";
import type { ServeFlags } from "./serve-command.js";

/** What the process and the server give the commands. */
export interface ProgramDeps extends CommandDeps {
  /** Runs a server until a signal stops it. It may throw an error with an `exitCode`. */
  readonly serve: (flags: ServeFlags) => Promise<void>;
  /** Opens stores by itself. */
  readonly migrate: Migrate;
  readonly doctor: Doctor;
  readonly backup: Backup;
  readonly version: string;
}

/** Name, description, and the module with the options and actions. It is loaded when it is called: most load messages. */
type CommandEntry = readonly [
  name: string,
  description: string,
  load: () => Promise<{ readonly define: (command: Command, deps: ProgramDeps) => void }>,
  /** Has commands of its own in place of options. */
  kind?: "group",
];

/** All commands, by the titles that the help shows. */
const SECTIONS: Readonly<Record<string, readonly CommandEntry[]>> = {
  "A shop, from its files to its lists:": [
    ["app", "create, change and list apps; an app is one shop", () => import("./app-command.js"), "group"],
    ["import", "import products, past events and contacts into an app", () => import("./import-command.js"), "group"],
    [
      "export",
      "write all products, contacts, orders and events of an app to files of JSON lines",
      () => import("./export-command.js"),
    ],
    ["train", "train a model on everything stored, and serve it", () => import("./train-command.js")],
    ["recommend", "show the recommendations for a visitor", () => import("./recommend-command.js")],
    [
      "frame",
      "manage frames: places in a shop's pages that show products",
      () => import("./frame-command.js"),
      "group",
    ],
    ["check", "check whether an app's pages name products as its catalogue does", () => import("./check-command.js")],
  ],
  "Products and models:": [
    ["feed", "import products from a URL on a schedule", () => import("./feed-command.js"), "group"],
    ["product", "show products of the catalogue and their sources", () => import("./product-command.js"), "group"],
    [
      "group",
      "manage named groups of products, for filters and filterByGroups",
      () => import("./group-command.js"),
      "group",
    ],
    [
      "model",
      "list and compare the models of an app, and choose the one that serves",
      () => import("./model-command.js"),
      "group",
    ],
    [
      "evaluate",
      "train without the newest visits and measure how well the model predicts them; stores nothing",
      () => import("./evaluate-command.js"),
    ],
    [
      "operation",
      "trainings, evaluations, erasures and imports of an app",
      () => import("./operation-command.js"),
      "group",
    ],
  ],
  "Visitors and events:": [
    ["status", "show whether a visitor is known and subscribed", () => import("./status-command.js")],
    ["events", "show the events of an app", () => import("./events-command.js"), "group"],
    ["ledger", "check the ledger of consent", () => import("./ledger-command.js"), "group"],
    [
      "link",
      "create a link for an e-mail or text message to confirm a subscription or unsubscribe",
      () => import("./link-command.js"),
    ],
    ["privacy", "export or erase the data of a person", () => import("./privacy-command.js"), "group"],
    ["suppress", "keep addresses out of imported lists", () => import("./suppress-command.js"), "group"],
    ["hook", "send subscription changes to the shop's own server", () => import("./hook-command.js"), "group"],
    [
      "signing-secret",
      "manage the secrets with which the shop's server signs events",
      () => import("./signing-secret-command.js"),
      "group",
    ],
  ],
  "The server and its store:": [
    ["serve", "run a server until SIGTERM or Ctrl-C", () => import("./serve-command.js")],
    [
      "token",
      "create a token for RPC callers, and its line for the server's --rpc-tokens file",
      () => import("./token-command.js"),
    ],
    ["migrate", "copy apps from one store to another and compare the copies", () => import("./migrate-command.js")],
    ["backup", "back up an embedded store while servers run", () => import("./backup-command.js")],
    ["doctor", "check the machine, the ports and the store, and report problems", () => import("./doctor-command.js")],
  ],
};

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
  for (const [title, entries] of Object.entries(SECTIONS)) {
    program.commandsGroup(title);
    for (const [name, description, load, kind] of entries) {
      const command = program.command(name).description(description);
      if (called !== undefined && name !== commandOf(called)) {
        if (kind !== "group") withoutOptions.add(command);
        continue;
      }
      const { define } = await load();
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

/** Print no text of their own for people: a script, log lines of JSON, or JSON in any case. */
const WITHOUT = ["serve", "privacy export"];

/**
 * `--json` for commands that print a sentence about the answer of a call: then they print the answer instead. Commands
 * with a `--json` of their own keep it.
 */
function createJsonAnswers(deps: ProgramDeps): {
  readonly deps: ProgramDeps;
  /** `path` has the words of the command after `aisle`. */
  readonly addTo: (command: Command, path: readonly string[]) => void;
} {
  const nowhere: Output = new Writable({ write: (_chunk, _encoding, done) => done() });
  let isOn = false;
  let last: JsonValue | undefined;
  const inner: ProgramDeps = {
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
function suggestNextStep(
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
