import { ConnectError } from "@connectrpc/connect";
import type { Command } from "commander";
import { SuppressionSource } from "../gen/aisle/v1/suppression_pb.js";
import {
  type AppOptions,
  appCommand,
  CALL,
  type Clients,
  withClients,
  withDryRun,
  withServer,
  withTryingClients,
} from "./client.js";
import type { CommandDeps } from "./deps.js";
import { Failure, UsageFailure } from "./errors.js";
import { openInput } from "./import/input.js";
import { allPages } from "./list.js";
import { timeText } from "./message-values.js";
import { plainId } from "./option-values.js";
import { count, writeJson, writeLine, writeTable } from "./output.js";

interface ChangeOptions extends AppOptions {
  readonly file?: string;
}

/** As many as a call takes. */
const AT_ONCE = 1000;

export function define(suppress: Command, deps: CommandDeps): void {
  const change = (name: "add" | "remove", description: string, more: string) =>
    withDryRun(withServer(suppress.command(name)))
      .argument("[addresses...]", "e-mail addresses and phone numbers")
      .description(description)
      .requiredOption("--app <id>", "the app", plainId)
      .option("--file <file>", "read the addresses from FILE, one a line; - is stdin")
      .option("--json", "print the counts as JSON")
      .addHelpText(
        "after",
        `\n${more}\nIf one address is invalid, nothing changes.\n\nExample:\n  $ aisle suppress ${name} --app shop1 ann@shop.example\n  $ aisle suppress ${name} --app shop1 --file addresses.txt`,
      )
      .action((addresses: string[], options: ChangeOptions) => changeAddresses(name, addresses, options, deps));
  change(
    "add",
    "keep addresses out of imported lists, and end their subscriptions",
    `Aisle stores keyed hashes, so the list names nobody. "aisle privacy erase" adds the addresses of the person. A suppression
ends when its person subscribes again, or with a later statement of the shop.`,
  );
  change("remove", "let lists subscribe addresses again", "It subscribes nobody.");
  appCommand(suppress, "list", "list the suppressed addresses by their hashes, and count them")
    .option("--json", "print them as JSON")
    .addHelpText("after", "\nExample:\n  $ aisle suppress list --app shop1")
    .action((options: AppOptions) => listSuppressions(options, deps));
}

interface Named {
  readonly address: string;
  /** Place in the file or among the arguments, from 1. */
  readonly place: number;
}

async function changeAddresses(
  name: "add" | "remove",
  given: readonly string[],
  { app: appId, file, json, ...options }: ChangeOptions,
  deps: CommandDeps,
): Promise<void> {
  if ((given.length === 0) === (file === undefined)) throw new UsageFailure("give either addresses or --file");
  const named =
    file === undefined ? given.map((address, at) => ({ address, place: at + 1 })) : await linesOf(file, deps);
  if (named.length === 0) throw new Failure("There is no address to suppress");
  const unit = file === undefined ? "address" : "line";
  const [changed, unchanged] = await withTryingClients(options, deps, async ({ subscriptions }) => {
    const call = (some: readonly Named[], validateOnly: boolean) =>
      callWith(subscriptions, name, { appId, addresses: some.map(({ address }) => address), validateOnly }, some, unit);
    const batches = Array.from({ length: Math.ceil(named.length / AT_ONCE) }, (_, at) =>
      named.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
    );
    for (const batch of batches) await call(batch, true);
    let sums: readonly [number, number] = [0, 0];
    for (const batch of batches) {
      const [more, same] = await call(batch, options.dryRun === true);
      sums = [sums[0] + more, sums[1] + same];
    }
    return sums;
  });
  const [done, left] = name === "add" ? ["added", "known"] : ["removed", "unknown"];
  if (json) writeJson(deps.stdout, { [done]: changed, [left]: unchanged, ...(options.dryRun && { dryRun: true }) });
  else {
    const verb = options.dryRun ? "would be" : "are";
    const what = name === "add" ? `${verb} suppressed now` : `${verb} no longer suppressed`;
    const before = name === "add" ? "were already" : "were not";
    writeLine(deps.stdout, `${count(changed)} addresses ${what}, ${count(unchanged)} ${before}`);
  }
}

async function callWith(
  subscriptions: Clients["subscriptions"],
  name: "add" | "remove",
  request: { appId: string; addresses: string[]; validateOnly: boolean },
  named: readonly Named[],
  unit: string,
): Promise<readonly [changed: number, unchanged: number]> {
  try {
    if (name === "add") {
      const { added, known } = await subscriptions.addSuppressions(request, CALL);
      return [added, known];
    }
    const { removed, unknown } = await subscriptions.removeSuppressions(request, CALL);
    return [removed, unknown];
  } catch (error) {
    const index = error instanceof ConnectError ? /addresses\[(\d+)\]/.exec(error.rawMessage)?.[1] : undefined;
    if (index === undefined) throw error;
    const place = named[Number(index)]?.place ?? 0;
    throw new Failure(`${unit} ${place}: an e-mail address or a phone number is accepted; nothing was changed`, 1, {
      cause: error,
    });
  }
}

/** The lines of a file that hold something. */
async function linesOf(file: string, deps: CommandDeps): Promise<readonly Named[]> {
  const input = await openInput(file, deps.stdin);
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of input.chunks) chunks.push(chunk);
  } finally {
    await input.close();
  }
  const lines = Buffer.concat(chunks).toString("utf8").split(/\r?\n/);
  return lines
    .map((line, at) => ({ address: line.replace(/^\uFEFF/, "").trim(), place: at + 1 }))
    .filter(({ address }) => address !== "");
}

const SOURCES: Readonly<Record<SuppressionSource, string>> = {
  [SuppressionSource.UNSPECIFIED]: "",
  [SuppressionSource.ERASURE]: "erasure",
  [SuppressionSource.RPC]: "shop",
};

async function listSuppressions({ app: appId, json, ...options }: AppOptions, deps: CommandDeps): Promise<void> {
  const found = await withClients(options, deps, ({ subscriptions }) =>
    allPages(
      (pageToken) => subscriptions.listSuppressions({ appId, pageSize: AT_ONCE, pageToken }, CALL),
      ({ suppressions }) => suppressions,
    ),
  );
  const rows = found.map((one) => ({
    id: one.suppressionId,
    since: timeText(one.createTime),
    source: SOURCES[one.source] ?? "",
  }));
  if (json) return writeJson(deps.stdout, { count: rows.length, suppressions: rows });
  if (rows.length > 0)
    writeTable(
      deps.stdout,
      [
        ["hash", ({ id }) => id],
        ["since", ({ since }) => since],
        ["source", ({ source }) => source],
      ],
      rows,
    );
  writeLine(deps.stdout, `${count(rows.length)} addresses are suppressed`);
}
