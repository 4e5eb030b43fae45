import type { Command } from "commander";
import { Failure } from "./failure.js";
import { count, printable, writeJson, writeLine, writeTable } from "./output.js";
import type { ProgramDeps } from "./program.js";

export interface DoctorRequest {
  /** As given, which may hold a password. */
  readonly store: string | undefined;
  /** Read everything. */
  readonly verify: boolean;
}

/** Something that was looked at. */
export interface DoctorFinding {
  readonly about: string;
  readonly state: "ok" | "note" | "problem";
  readonly text: string;
}

/** What reading everything has found. */
export interface Verification {
  /** Records met, by table. */
  readonly entries: Readonly<Record<string, number>>;
  readonly faultCount: number;
  /** The first of them; keys may be personal. */
  readonly faults: readonly {
    readonly table: string;
    readonly kind: string;
    readonly appId: string;
    readonly key: string;
  }[];
  /** Why not everything could be read; "" when it could. */
  readonly failure: string;
}

export interface DoctorStep {
  readonly finding: DoctorFinding;
  readonly verification?: Verification;
}

/** Looks at one thing after the other. */
export type Doctor = (
  request: DoctorRequest,
  env: Readonly<Record<string, string | undefined>>,
) => AsyncIterable<DoctorStep>;

interface DoctorOptions {
  readonly store?: string;
  readonly verify?: boolean;
  readonly json?: boolean;
}

export function addDoctorCommand(program: Command, deps: ProgramDeps): void {
  program
    .command("doctor")
    .description("look at the machine, the ports and the store, and say what is not as it should be")
    .option("--store <store>", "embedded:DIR or mongodb://… (AISLE_STORE, else embedded:./aisle-data)")
    .option("--verify", "read everything in the store; takes some 10 µs a record, servers may go on")
    .option(
      "--json",
      "print the findings as JSON; with --verify also the keys of damaged records, which may be personal",
    )
    .addHelpText(
      "after",
      `
Writes nothing into an embedded store; a MongoDB server is asked what it can do in a collection that is removed at the
end. A verification that ends by a signal has found damage.

Exit codes: 0 no problem, 1 a problem, 2 called in a wrong way.

Example:
  $ aisle doctor --store embedded:/var/lib/aisle --verify`,
    )
    .action((options: DoctorOptions) => doctor(options, deps));
}

async function doctor(options: DoctorOptions, deps: ProgramDeps): Promise<void> {
  const findings: DoctorFinding[] = [];
  let verification: Verification | undefined;
  for await (const step of deps.doctor({ store: options.store, verify: options.verify ?? false }, deps.env)) {
    findings.push(step.finding);
    verification = step.verification ?? verification;
    if (!options.json) writeLine(deps.stdout, findingLine(step.finding));
  }
  const problems = findings.filter(({ state }) => state === "problem").length;
  if (options.json)
    writeJson(deps.stdout, { healthy: problems === 0, findings, ...(verification && { verification }) });
  else if (verification !== undefined && verification.faultCount > 0) showFaults(verification, deps);
  if (problems > 0) throw new Failure(problems === 1 ? "1 problem was found" : `${problems} problems were found`);
}

/** Width of the longest word for what is looked at. */
const ABOUT_WIDTH = 14;
const STATE_WIDTH = 7;

function findingLine({ about, state, text }: DoctorFinding): string {
  return `${state.padEnd(STATE_WIDTH)}  ${about.padEnd(ABOUT_WIDTH)}  ${printable(text)}`;
}

/** Faults by table, kind and app. Keys may be personal and are not shown. */
function showFaults({ faults, faultCount }: Verification, { stdout }: ProgramDeps): void {
  const counts = new Map<string, number>();
  for (const { table, kind, appId } of faults) {
    const row = [table, kind, printable(appId)].join("\t");
    counts.set(row, (counts.get(row) ?? 0) + 1);
  }
  writeTable(
    stdout,
    [{ title: "table" }, { title: "fault" }, { title: "app" }, { title: "records", align: "right" }],
    [...counts].map(([row, times]) => [...row.split("\t"), count(times)]),
  );
  if (faultCount > faults.length) writeLine(stdout, `and ${count(faultCount - faults.length)} more`);
}
