import { createInterface } from "node:readline";
import { type MessageInitShape, toJson } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { type Erasure, ErasureSchema, type RemovedRecords } from "../gen/aisle/v1/erasure_pb.js";
import type { PersonSchema } from "../gen/aisle/v1/person_pb.js";
import { ExportVisitorResponseSchema } from "../gen/aisle/v1/privacy_service_pb.js";
import { confirmLoss } from "./ask.js";
import { type AppOptions, appCommand, type Clients, withClients, withServer, withTryingClients } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { Failure, UsageFailure } from "./errors.js";
import { printList } from "./list.js";
import { timeText } from "./message-values.js";
import { followUnless } from "./operation-progress.js";
import { plainId } from "./option-values.js";
import { count, newFile, writeJson, writeLine } from "./output.js";

interface PersonOptions extends AppOptions {
  readonly email?: string;
  readonly phone?: string;
  readonly contact?: string;
  readonly client?: string;
  readonly fingerprint?: string;
  readonly user?: string;
  readonly withLinkedContact?: boolean;
}

interface ExportOptions extends PersonOptions {
  readonly out?: string;
}

interface EraseOptions extends PersonOptions {
  readonly yes?: boolean;
  /** False: do not wait for the end. */
  readonly wait: boolean;
}

export function define(privacy: Command, deps: CommandDeps): void {
  const whom = `
--email, --phone and --contact select the contact and all visitors linked to it. A visitor id selects only that visitor,
because anybody can link a visitor id of their own to somebody else's address. If you have verified the link, add
--with-linked-contact to select the contact as well.

A value of - is read from standard input, so that it stands neither in the shell's history nor in the list of processes.
`;
  withPerson(privacy.command("export"))
    .description("export all data about a person as JSON")
    .option("--out <file>", "write to this new file instead of stdout")
    .addHelpText(
      "after",
      `${whom}\nExample:\n  $ aisle privacy export --app shop1 --email ann@example.com --out ann.json`,
    )
    .action((options: ExportOptions) => exportPerson(options, deps));
  withPerson(privacy.command("erase"))
    .description("erase all data about a person; cannot be undone")
    .option("--dry-run", "only count what would be erased")
    .option("--yes", "erase without asking")
    .option("--json", "print the counts as JSON")
    .option("--no-wait", "print the id of the operation and end; the erasure goes on")
    .addHelpText("after", `${whom}\nExample:\n  $ aisle privacy erase --app shop1 --email ann@example.com --dry-run`)
    .action((options: EraseOptions) => erasePerson(options, deps));
  appCommand(privacy, "erasures", "list the erasures of an app, without personal data")
    .option("--json", "print them as JSON")
    .addHelpText("after", "\nExample:\n  $ aisle privacy erasures --app shop1")
    .action((options: AppOptions) => listErasures(options, deps));
}

function withPerson(command: Command): Command {
  return withServer(command)
    .requiredOption("--app <id>", "the app", plainId)
    .option("--email <address>", "e-mail address")
    .option("--phone <number>", "phone number")
    .option("--contact <id>", "id of a contact")
    .option("--client <id>", "client id (c_id)")
    .option("--fingerprint <id>", "fingerprint cookie id (fp_ccid)")
    .option("--user <id>", "the shop's user id")
    .option("--with-linked-contact", "a visitor id also selects the contact it is linked to");
}

const NAMES = ["email", "phone", "contact", "client", "fingerprint", "user"] as const;

/** The options with the value that stands for standard input replaced by its first line. */
async function withInput(options: PersonOptions, { stdin }: Pick<CommandDeps, "stdin">): Promise<PersonOptions> {
  const asked = NAMES.filter((name) => options[name] === "-");
  const [name] = asked;
  if (name === undefined) return options;
  if (asked.length > 1) throw new UsageFailure("only one value can be read from standard input");
  for await (const line of createInterface({ input: stdin })) {
    if (line.trim() !== "") return { ...options, [name]: line.trim() };
  }
  throw new UsageFailure(`--${name}: standard input is empty; one line is accepted`);
}

async function personOf(given: PersonOptions, deps: CommandDeps): Promise<MessageInitShape<typeof PersonSchema>> {
  const options = await withInput(given, deps);
  const { email = "", phone = "", contact = "", client = "", fingerprint = "", user = "" } = options;
  if ([email, phone, contact, client, fingerprint, user].every((name) => name === ""))
    throw new UsageFailure("name the person: --email, --phone, --contact, --client, --fingerprint or --user");
  return {
    visitor: { clientId: client, fingerprintId: fingerprint, userId: user },
    email,
    phone,
    contactId: contact,
    includeLinkedContact: options.withLinkedContact ?? false,
  };
}

/** Writes the export as it comes: a person's records may be larger than memory. */
async function exportPerson(options: ExportOptions, deps: CommandDeps): Promise<void> {
  const person = await personOf(options, deps);
  const file = options.out === undefined ? undefined : await newFile(options.out);
  const write = async (text: string) => {
    if (file !== undefined) await file.writeFile(text);
    else if (!deps.stdout.write(text)) await new Promise((resolve) => deps.stdout.once("drain", resolve));
  };
  let items = 0;
  try {
    await withClients(options, deps, async ({ privacy }) => {
      await write(`{"app": ${JSON.stringify(options.app)}, "items": [`);
      for await (const one of privacy.exportVisitor({ appId: options.app, person }))
        await write(`${items++ === 0 ? "" : ","}\n${JSON.stringify(toJson(ExportVisitorResponseSchema, one))}`);
      await write("\n]}\n");
    });
    await file?.sync();
  } finally {
    await file?.close();
  }
  writeLine(deps.stderr, items === 0 ? "No data is stored under these ids" : `${count(items)} items found`);
}

async function erasePerson(options: EraseOptions, deps: CommandDeps): Promise<void> {
  const person = await personOf(options, deps);
  if (!options.dryRun)
    await confirmLoss(deps, { yes: options.yes, loss: "This erases all data about the person", word: "erase" });
  const erasure = await withTryingClients(options, deps, (clients) => erasureOf(clients, options, person, deps));
  if (erasure === undefined) return;
  if (options.json) return writeJson(deps.stdout, toJson(ErasureSchema, erasure));
  const words = options.dryRun
    ? ["Would remove", "Nothing would be removed"]
    : ["Removed", "Nothing was to be removed"];
  writeLine(deps.stdout, removedText(erasure) === "" ? `${words[1]}` : `${words[0]} ${removedText(erasure)}`);
  if (!options.dryRun) writeLine(deps.stdout, `Erasure ${erasure.erasureId} is complete`);
  if (erasure.keptContactCount > 0)
    writeLine(
      deps.stdout,
      `${erasure.keptContactCount} linked contacts stay: name them, or add --with-linked-contact where the link is proven`,
    );
}

/** The finished erasure, or what a dry run counted; undefined with `--no-wait`. */
async function erasureOf(
  clients: Pick<Clients, "privacy" | "operations">,
  { app, wait }: EraseOptions,
  person: MessageInitShape<typeof PersonSchema>,
  deps: CommandDeps,
): Promise<Erasure | undefined> {
  const { outcome } = await clients.privacy.eraseVisitor({ appId: app, person });
  if (outcome.case === "preview") return outcome.value;
  const done = await followUnless(clients, outcome.value, { wait }, { name: "erasure", deps });
  if (done === undefined) return undefined;
  if (done.result.case !== "erasure")
    throw new Failure('The server did not report the outcome; see "aisle privacy erasures"');
  return done.result.value;
}

function listErasures(options: AppOptions, deps: CommandDeps): Promise<void> {
  return printList(options, deps, {
    read: ({ privacy }, pageToken) => privacy.listErasures({ appId: options.app, pageSize: 1000, pageToken }),
    items: ({ erasures }) => erasures,
    json: (erasure) => toJson(ErasureSchema, erasure),
    columns: [
      ["id", ({ erasureId }) => erasureId],
      ["begun", ({ startTime }) => timeText(startTime)],
      ["done", ({ endTime }) => (endTime === undefined ? "under way" : timeText(endTime))],
      ["removed", removedText],
    ],
  });
}

const TITLES = [
  ["contacts", "contacts"],
  ["visitors", "visitors"],
  ["subscriptionChanges", "ledger entries"],
  ["interactions", "interactions"],
  ["orders", "orders"],
  ["events", "events"],
  ["rejectedEvents", "refused events"],
  ["idempotencyKeys", "idempotency keys"],
  ["awaitedSubscriptions", "awaited subscriptions"],
  ["waitingHookMessages", "waiting hook messages"],
  ["failedHookMessages", "failed hook messages"],
  ["frameExposures", "frame exposures"],
] as const satisfies readonly (readonly [keyof RemovedRecords, string])[];

function removedText({ removed }: Erasure): string {
  return TITLES.map(([kind, title]) => [removed?.[kind] ?? 0, title] as const)
    .filter(([number]) => number > 0)
    .map(([number, title]) => `${count(number)} ${title}`)
    .join(", ");
}
