import { SingleBar } from "cli-progress";
import type { Command } from "commander";
import type { CommandDeps } from "./deps.js";
import { Failure, Interrupted, UsageFailure } from "./errors.js";
import { plainId } from "./option-values.js";
import { count, type Output, writeJson, writeLine, writeTable } from "./output.js";

/** The stores to copy or only compare, as text; may contain a password. */
export interface MigrateRequest {
  readonly from: string;
  readonly to: string;
  /** Empty: all apps of the source. */
  readonly appIds: readonly string[];
  /** Copy again although a copy was finished before, or came from another source. */
  readonly again: boolean;
  /** Only compare; nothing is written. */
  readonly check: boolean;
}

/** The content of a table; equal rows have equal checksums. */
export interface MigratedRows {
  readonly rows: number;
  readonly checksum: string;
}

export interface MigratedApp {
  readonly appId: string;
  /** `copied`: written and found equal; `equal`: only compared; `differs`: not equal now. */
  readonly outcome: "copied" | "equal" | "differs";
  /** An earlier run finished the copy, so this one wrote nothing. */
  readonly wasDone: boolean;
  readonly written: number;
  readonly tables: readonly { readonly table: string; readonly source: MigratedRows; readonly target: MigratedRows }[];
}

export interface MigrateHooks extends MigrateProgress {
  /** A log line. */
  log(line: string): void;
  readonly signal: AbortSignal | undefined;
}

/** Copies apps one after the other and reports each when it is done. */
export type Migrate = (request: MigrateRequest, hooks: MigrateHooks) => AsyncIterable<MigratedApp>;

interface MigrateOptions {
  readonly from?: string;
  readonly to?: string;
  readonly app?: readonly string[];
  readonly again?: boolean;
  readonly check?: boolean;
  readonly json?: boolean;
}

const STORE = "embedded:DIR or mongodb://…";

export function define(command: Command, deps: CommandDeps & { readonly migrate: Migrate }): void {
  command
    .option("--from <store>", `source store: ${STORE} (AISLE_MIGRATE_FROM)`)
    .option("--to <store>", `target store: ${STORE} (AISLE_MIGRATE_TO)`)
    .option("--app <id>", "an app; repeatable (default: all)", (id: string, earlier: readonly string[] = []) => [
      ...earlier,
      plainId(id),
    ])
    .option("--check", "compare only; write nothing")
    .option("--again", "copy again what was copied before; removes records that only the target has")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Copies each app completely: events, visitors, contacts and their consent, histories, products, orders, frames, models
and idempotency keys. The target shows an app once both stores were read back and are equal. After an interruption,
run the same command again: it resumes and duplicates nothing.

Servers may run during the copy, but the target lacks what the source receives afterwards. To switch over, stop the
servers of the source, run the command once more (with --again if it had finished), and start those of the target.

If an address contains a password, set AISLE_MIGRATE_FROM and AISLE_MIGRATE_TO: other users of the machine can see flags.

Exit codes: 0 all equal, 1 a difference or failure, 2 usage error, 130 interrupted.

Example:
  $ aisle migrate --from embedded:./aisle-data --to mongodb://db.shop.example/aisle --app shop1`,
    )
    .action((options: MigrateOptions) => migrate(options, deps));
}

async function migrate(options: MigrateOptions, deps: CommandDeps & { readonly migrate: Migrate }): Promise<void> {
  if (options.check && options.again) throw new UsageFailure("--check and --again exclude each other");
  const request: MigrateRequest = {
    from: storeText(options.from ?? deps.env.AISLE_MIGRATE_FROM, "--from (AISLE_MIGRATE_FROM)"),
    to: storeText(options.to ?? deps.env.AISLE_MIGRATE_TO, "--to (AISLE_MIGRATE_TO)"),
    appIds: [...new Set(options.app ?? [])],
    again: options.again ?? false,
    check: options.check ?? false,
  };
  const progress = createMigrateProgress(deps.stderr, deps.now);
  const done: MigratedApp[] = [];
  try {
    const log = (line: string) => progress.note(line);
    for await (const app of deps.migrate(request, { update: progress.update, log, signal: deps.signal })) {
      done.push(app);
      progress.pause();
      if (!options.json) showApp(deps.stdout, app, request);
    }
  } catch (error) {
    if (deps.signal?.aborted) throw new Interrupted();
    throw error;
  } finally {
    progress.pause();
  }
  if (options.json) writeJson(deps.stdout, { apps: done, equal: done.every(isSound) });
  else if (done.length === 0) writeLine(deps.stdout, "The source has no apps");
  const differing = done.filter((app) => !isSound(app)).map(({ appId }) => appId);
  if (differing.length > 0) throw new Failure(`Source and target differ: ${differing.join(", ")}`);
}

function storeText(text: string | undefined, name: string): string {
  const trimmed = text?.trim();
  if (!trimmed) throw new UsageFailure(`${name}: is required: ${STORE}`);
  return trimmed;
}

function isSound({ outcome }: MigratedApp): boolean {
  return outcome !== "differs";
}

/** Characters of a checksum that are shown. */
const SHOWN = 12;

function showApp(output: Output, app: MigratedApp, request: MigrateRequest): void {
  writeLine(output, appLine(app, request));
  writeTable(
    output,
    [
      ["table", ({ table }) => table],
      ["source", ({ source }) => count(source.rows), "right"],
      ["target", ({ target }) => count(target.rows), "right"],
      [
        "checksum",
        ({ source, target }) =>
          source.checksum === target.checksum
            ? source.checksum.slice(0, SHOWN)
            : `${source.checksum.slice(0, SHOWN)} and ${target.checksum.slice(0, SHOWN) || "none"}: differs`,
      ],
    ],
    app.tables,
    "  ",
  );
}

function appLine({ appId, outcome, wasDone, written }: MigratedApp, { check }: MigrateRequest): string {
  if (outcome === "copied")
    return `App ${appId} is copied, ${count(written)} rows written; source and target are equal`;
  if (outcome === "equal")
    return `App ${appId}: source and target are equal${wasDone ? ", copied by an earlier run" : ""}`;
  if (check) return `App ${appId}: source and target differ`;
  if (wasDone)
    return `App ${appId} was copied by an earlier run, and one of the two was written since; --again makes the target equal`;
  return `App ${appId} is not copied: the source is being written; stop its servers and run the command again`;
}

/** Milliseconds between plain progress lines. */
const LINE_EVERY_MS = 3000;

export interface MigrateStage {
  readonly appId: string;
  /** `copying` or `comparing`. */
  readonly stage: string;
  readonly table: string;
  /** Rows of the table so far. */
  readonly rows: number;
}

export interface MigrateProgress {
  update(stage: MigrateStage): void;
}

/**
 * One line that changes on a terminal, otherwise a line every few seconds. The number of rows is known only at the end.
 */
export function createMigrateProgress(output: Output, now: () => number) {
  let bar: SingleBar | undefined;
  let shownAt = now();

  const pause = (): void => {
    bar?.stop();
    bar = undefined;
  };

  return {
    update({ appId, stage, table, rows }: MigrateStage): void {
      const text = `${appId}: ${stage} ${table}, ${count(rows)} rows`;
      if (output.isTTY) {
        if (bar === undefined) {
          bar = new SingleBar({ stream: output, format: "{text}", hideCursor: false, gracefulExit: false });
          bar.start(1, 0, { text });
        }
        bar.update(0, { text });
      } else if (now() - shownAt >= LINE_EVERY_MS) {
        shownAt = now();
        writeLine(output, text);
      }
    },
    /** A line of its own. */
    note(line: string): void {
      pause();
      writeLine(output, line);
    },
    /** Clears the line for other output. */
    pause,
  };
}
