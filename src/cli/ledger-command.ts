import { toJson } from "@bufbuild/protobuf";
import { type Command, InvalidArgumentError } from "commander";
import { type LedgerFault, LedgerFaultKind, LedgerFaultSchema } from "../gen/aisle/v1/ledger_pb.js";
import { SubscriptionChannel } from "../gen/aisle/v1/subscription_pb.js";
import type { VerifyLedgerResponse } from "../gen/aisle/v1/subscription_service_pb.js";
import { type AppOptions, withClients, withServer } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { Failure } from "./errors.js";
import { plainId } from "./option-values.js";
import { count, printable, writeJson, writeLine } from "./output.js";

interface VerifyOptions extends AppOptions {
  readonly anchor?: Anchor;
}

interface Anchor {
  readonly anchorChangeId: string;
  readonly anchorHash: string;
}

export function define(group: Command, deps: CommandDeps): void {
  withServer(group.command("verify"))
    .description("check that no entry was changed, removed or inserted, and that contacts match the ledger")
    .requiredOption("--app <id>", "the app", plainId)
    .option("--anchor <id:hash>", "an entry and its hash, as printed by an earlier check", anchor)
    .option("--json", "print what was found as JSON")
    .addHelpText(
      "after",
      `
Each entry holds the hash of the previous one. The check prints the last entry and its hash. Store them elsewhere and
pass them as --anchor later: the check then detects even a completely rewritten ledger. It exits with 1 on an error.

Example:
  $ aisle ledger verify --app shop1
  $ aisle ledger verify --app shop1 --anchor n000000000042:9f86d081884c7d65…`,
    )
    .action((options: VerifyOptions) => verify(options, deps));
}

function anchor(text: string): Anchor {
  const [, anchorChangeId = "", anchorHash = ""] = /^([A-Za-z0-9:-]{1,255}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (anchorHash === "") throw new InvalidArgumentError("An entry's id, a colon and 64 hex digits are accepted.");
  return { anchorChangeId, anchorHash };
}

async function verify(options: VerifyOptions, deps: CommandDeps): Promise<void> {
  const faults: LedgerFault[] = [];
  let last: VerifyLedgerResponse | undefined;
  await withClients(options, deps, async ({ subscriptions }) => {
    for await (const report of subscriptions.verifyLedger({ appId: options.app, ...options.anchor })) {
      faults.push(...report.faults);
      last = report;
    }
  });
  if (!last?.done) throw new Failure("The check was interrupted");
  if (options.json) writeJson(deps.stdout, summary(last, faults));
  else for (const line of lines(last, faults)) writeLine(deps.stdout, line);
  if (faults.length > 0) throw new Failure(`The ledger of ${options.app} was tampered with`);
}

function summary(report: VerifyLedgerResponse, faults: readonly LedgerFault[]) {
  return {
    entries: report.entries,
    erasedEntries: report.erasedEntries,
    unchainedEntries: report.unchainedEntries,
    contacts: report.contacts,
    faultTotal: report.faultTotal,
    faults: faults.map((fault) => toJson(LedgerFaultSchema, fault)),
    headChangeId: report.headChangeId,
    headHash: report.headHash,
  };
}

function lines(report: VerifyLedgerResponse, faults: readonly LedgerFault[]): string[] {
  const { entries, erasedEntries, unchainedEntries, contacts, faultTotal, headChangeId, headHash } = report;
  const erased = erasedEntries > 0 ? `, ${count(erasedEntries)} of them of erased contacts` : "";
  const before = unchainedEntries > 0 ? `; ${count(unchainedEntries)} are from before the chain` : "";
  const found = [`${count(entries)} entries${erased}, ${count(contacts)} contacts${before}`];
  for (const fault of faults) found.push(faultLine(fault));
  if (faultTotal > faults.length) found.push(`${count(faultTotal)} faults in all`);
  if (headChangeId !== "") found.push(`Last entry ${headChangeId}:${headHash}`);
  if (faultTotal === 0) found.push("No faults found");
  return found;
}

const MEANINGS: Readonly<Partial<Record<LedgerFaultKind, string>>> = {
  [LedgerFaultKind.MISSING]: "the entry is missing",
  [LedgerFaultKind.CHANGED]: "the entry does not match its hash",
  [LedgerFaultKind.PERSON]: "its person, event or reason does not match its hash",
  [LedgerFaultKind.LINK]: "the entry is not linked to the one before it",
  [LedgerFaultKind.HEAD]: "the chain ended with another entry",
  [LedgerFaultKind.ANCHOR]: "its hash differs from the anchor",
};

function faultLine({ kind, changeId, contactId, channel }: LedgerFault): string {
  if (kind === LedgerFaultKind.CONTACT) {
    const which = channel === SubscriptionChannel.SMS ? "text message" : "e-mail";
    return `Contact ${printable(contactId)}: the ${which} subscription does not follow from its entries`;
  }
  return `${printable(changeId)}: ${MEANINGS[kind] ?? "it has another fault"}`;
}
