import type { Command } from "commander";
import type { CommandDeps } from "./deps.js";
import { Failure, UsageFailure } from "./errors.js";
import { count, printable, writeJson, writeLine, writeTable } from "./output.js";

export interface DoctorRequest {
  /** The store address as given, which may contain a password. */
  readonly store: string | undefined;
  /** Verify the whole store. */
  readonly verify: boolean;
  /** Repair the index of contacts first. */
  readonly repair: boolean;
  /** Part visitors that a placeholder joined. */
  readonly partPlaceholders: boolean;
  /** Directory for a sound store made from the readable data, instead of repairing the index. */
  readonly to: string | undefined;
}

/** The result of one check. */
export interface DoctorFinding {
  readonly about: string;
  readonly state: "ok" | "note" | "problem";
  readonly text: string;
}

/** The result of a verification. */
export interface Verification {
  /** Number of records, by table. */
  readonly entries: Readonly<Record<string, number>>;
  readonly faultCount: number;
  /** The first faults; keys may be personal. */
  readonly faults: readonly {
    readonly table: string;
    readonly kind: string;
    readonly appId: string;
    readonly key: string;
  }[];
  /** Why the verification is incomplete; "" when it is complete. */
  readonly failure: string;
}

/** Data of a damaged store that could not be read from one table. */
export interface LostRecords {
  readonly table: string;
  readonly count: number;
  /** The range of keys; they may be personal. */
  readonly parts: readonly { readonly appId: string; readonly after: string; readonly before: string }[];
}

/** People of an app whom an earlier version stored wrongly. Ids may be personal; placeholders are not. */
export interface WronglyStored {
  readonly appId: string;
  /** Visitors that a placeholder joined. */
  readonly joined?: readonly {
    readonly visitorId: string;
    readonly words: readonly string[];
    readonly ids: number;
    readonly contacts: number;
    readonly events: number;
    readonly orders: number;
  }[];
  /** The first contacts with an unusable address. */
  readonly contactIds?: readonly string[];
}

export interface DoctorStep {
  readonly finding: DoctorFinding;
  readonly lost?: readonly LostRecords[];
  readonly verification?: Verification;
  readonly people?: WronglyStored;
}

/** Runs one check after the other. */
export type Doctor = (
  request: DoctorRequest,
  env: Readonly<Record<string, string | undefined>>,
) => AsyncIterable<DoctorStep>;

interface DoctorOptions {
  readonly store?: string;
  readonly verify?: boolean;
  readonly repair?: boolean;
  readonly partPlaceholders?: boolean;
  readonly to?: string;
  readonly json?: boolean;
}

export function define(command: Command, deps: CommandDeps & { readonly doctor: Doctor }): void {
  command
    .option("--store <store>", "embedded:DIR or mongodb://… (AISLE_STORE, else embedded:./aisle-data)")
    .option("--verify", "read and check every record, about 10 µs each; servers may keep running")
    .option("--repair", "repair the index of contacts; stop its servers first")
    .option(
      "--part-placeholders",
      "part visitors that an id such as 0 or guest joined; with MongoDB servers may keep running",
    )
    .option("--to <directory>", "with --repair: write all readable data to a new store there; stop its servers first")
    .option(
      "--json",
      "print the findings as JSON; with --verify also the keys of damaged records and contacts (may be personal data)",
    )
    .addHelpText(
      "after",
      `
Without --repair the command writes nothing to an embedded store. On MongoDB it tests the server's features in a
temporary collection. --repair fixes missing and dangling entries of the contact index. For other damage, restore a
backup. Without a backup, --repair --to DIR copies all sound records to a new store and lists the lost ones. It leaves
the damaged store unchanged, and exits with 1 if records are lost. A verification that a signal ends has found damage.

Earlier versions took ids such as 0, guest or null for a person, so that many people became one visitor. The command
looks up usual spellings; --verify reads every id, and every contact for an unusable address. --part-placeholders
gives each browser its own visitor again, with the history and orders of its own events. Browsers to which the shop's
own events gave one user id stay one visitor. The command says how much belongs to nobody now. Stop servers of earlier
versions first: they join again; stop that of an embedded store. Repeat an interrupted run.

Exit codes: 0 no problem, 1 a problem, 2 usage error.

Example:
  $ aisle doctor --store embedded:/var/lib/aisle --verify`,
    )
    .action((options: DoctorOptions) => doctor(options, deps));
}

async function doctor(options: DoctorOptions, deps: CommandDeps & { readonly doctor: Doctor }): Promise<void> {
  if (options.to !== undefined && !options.repair) throw new UsageFailure("--to: requires --repair");
  if (options.to !== undefined && options.partPlaceholders)
    throw new UsageFailure("--part-placeholders: not with --to; part the visitors of the new store afterwards");
  const findings: DoctorFinding[] = [];
  let lost: readonly LostRecords[] | undefined;
  let verification: Verification | undefined;
  const people: WronglyStored[] = [];
  for await (const step of deps.doctor(
    {
      store: options.store,
      verify: options.verify ?? false,
      repair: options.repair ?? false,
      partPlaceholders: options.partPlaceholders ?? false,
      to: options.to,
    },
    deps.env,
  )) {
    findings.push(step.finding);
    verification = step.verification ?? verification;
    lost = step.lost ?? lost;
    if (step.people) people.push(step.people);
    if (!options.json) writeLine(deps.stdout, findingLine(step.finding));
  }
  const problems = findings.filter(({ state }) => state === "problem").length;
  if (options.json)
    writeJson(deps.stdout, {
      healthy: problems === 0,
      findings,
      ...(verification && { verification }),
      ...(lost && { lost }),
      ...(people.length > 0 && { people }),
    });
  else if (verification !== undefined && verification.faultCount > 0) showFaults(verification, deps);
  if (!options.json && lost !== undefined && lost.length > 0) showLost(lost, deps);
  if (problems > 0) throw new Failure(problems === 1 ? "1 problem was found" : `${problems} problems were found`);
}

/** Width of the longest word in the first column. */
const ABOUT_WIDTH = 14;
const STATE_WIDTH = 7;

function findingLine({ about, state, text }: DoctorFinding): string {
  return `${state.padEnd(STATE_WIDTH)}  ${about.padEnd(ABOUT_WIDTH)}  ${printable(text)}`;
}

/** Lost records by table and app. Keys may be personal and are not shown. */
function showLost(lost: readonly LostRecords[], { stdout }: CommandDeps): void {
  const appsOf = ({ parts }: LostRecords) => [...new Set(parts.map(({ appId }) => appId))].filter((id) => id !== "");
  writeTable(
    stdout,
    [
      ["table", ({ table }) => table],
      ["app", (one) => appsOf(one).join(" ")],
      ["places", ({ parts }) => count(parts.length), "right"],
      ["lost", ({ count: records }) => count(records), "right"],
    ],
    lost,
  );
}

/** Faults by table, kind and app. Keys may be personal and are not shown. */
function showFaults({ faults, faultCount }: Verification, { stdout }: CommandDeps): void {
  const counts = new Map<string, number>();
  for (const { table, kind, appId } of faults) {
    const row = [table, kind, appId].join("\t");
    counts.set(row, (counts.get(row) ?? 0) + 1);
  }
  const word =
    (at: number) =>
    ([row]: readonly [string, number]) =>
      row.split("\t")[at] ?? "";
  writeTable(
    stdout,
    [
      ["table", word(0)],
      ["fault", word(1)],
      ["app", word(2)],
      ["records", ([, times]) => count(times), "right"],
    ],
    [...counts],
  );
  if (faultCount > faults.length) writeLine(stdout, `and ${count(faultCount - faults.length)} more`);
}
