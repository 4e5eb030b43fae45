import { readFile } from "node:fs/promises";
import { text as readText } from "node:stream/consumers";
import { create, fromJson, type JsonValue, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { type Command, Option } from "commander";
import { ListFrameVersionsResponseSchema } from "../gen/aisle/v1/app_service_pb.js";
import {
  type FrameConfiguration,
  FrameConfigurationSchema,
  type FrameVariant,
  type FrameVersion,
  type PageKind,
} from "../gen/aisle/v1/frame_configuration_pb.js";
import { type AppOptions, appCommand, CALL, type Clients, withClients, withDryRun, withServer } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { Failure, UsageFailure } from "./errors.js";
import { addFrameReportCommand } from "./frame-report.js";
import {
  boost,
  type FilterOptions,
  filterOf,
  frameLines,
  pageKind,
  plainVariant,
  readyList,
  relativeTo,
  sourceWeight,
  type TypedBoost,
  type TypedList,
  type TypedRelative,
  type TypedWeight,
  typedRules,
  yes,
} from "./frame-values.js";
import { allPages, printList } from "./list.js";
import { durationOfDays, timeText } from "./message-values.js";
import { currencyCode, daysUpTo, idList, plainId, share, wholeNumber } from "./option-values.js";
import { printable, writeJson, writeLine, writeTable } from "./output.js";

interface SetOptions extends AppOptions, FilterOptions {
  readonly id?: string;
  readonly file?: string;
  readonly recommended?: number;
  readonly alternative?: number;
  readonly title?: string;
  readonly page?: PageKind;
  readonly source?: readonly TypedWeight[];
  readonly list?: TypedList;
  readonly explore: number;
  readonly boost?: readonly TypedBoost[];
  readonly beside?: TypedRelative;
  readonly maxPerBrand?: number;
  readonly maxPerCategory?: number;
  readonly includeViewed?: boolean;
  readonly includeBought?: boolean;
  readonly rebuyAfter?: number;
  readonly diversity: number;
  readonly inStockOnly?: boolean;
  readonly rotation: boolean;
  readonly rotationRate?: number;
  readonly rotationDays?: number;
  readonly fallback: boolean;
  readonly pin?: readonly string[];
  readonly ban?: readonly string[];
  readonly variant?: readonly Pick<FrameVariant, "name" | "weight">[];
}

interface FrameOptions extends AppOptions {
  readonly id: string;
}

export function define(frame: Command, deps: CommandDeps): void {
  withDryRun(withServer(frame.command("set")))
    .description("create or replace a frame")
    .requiredOption("--app <id>", "the app", plainId)
    .option("--id <frame>", 'the frame; "default" serves requests that name none', plainId)
    .option(
      "--file <file>",
      'read the whole frame from FILE, as "frame show --json" prints it, instead of the options; - is stdin',
    )
    .option("--recommended <n>", "maximum number of complementary products, 0 to 100", wholeNumber(0, 100))
    .option("--alternative <n>", "maximum number of similar products, 0 to 100", wholeNumber(0, 100))
    .option("--title <title>", "display name")
    .option(
      "--page <kind>",
      "type of its page, which sets the order of sources: home, category, product, cart or order",
      pageKind,
    )
    .option(
      "--source <name=weight>",
      "a source and its weight; repeatable (default: chosen for each visitor)",
      sourceWeight,
    )
    .option(
      "--list <name=days>",
      "fill it with a ready list: recently-viewed, buy-again, new-arrivals, trending or bestsellers",
      readyList,
    )
    .option("--include-viewed", "also show current and viewed products")
    .option("--include-bought", "also show bought products")
    .option("--rebuy-after <days>", "days after which bought products show again", wholeNumber(0, 3650))
    .option("--diversity <n>", "diversity of the recommended products, 0 to 1", share, 0)
    .option("--boost <condition=factor>", "raise or lower products of a group, attribute, margin, stock or age", boost)
    .option("--beside <rule>", "only same-brand, same-category, dearer, cheaper or same:ATTRIBUTE", relativeTo)
    .option("--max-per-brand <n>", "maximum number of products of a brand in a list", wholeNumber(0, 100))
    .option("--max-per-category <n>", "maximum number of products of a category in a list", wholeNumber(0, 100))
    .option("--explore <n>", "share of recommended for products of which little is known, 0 to 0.2", share, 0)
    .option("--pin <ids>", "products for the first positions, comma-separated", idList)
    .option("--ban <ids>", "products never to show here", idList)
    .option("--group <ids>", "show only products of one of these categories, tags or named groups", idList)
    .option("--all-groups <ids>", "show only products of each of these groups", idList)
    .option("--without-group <ids>", "show no products of these groups", idList)
    .option("--min-price <amount>", "show only products of at least this price")
    .option("--max-price <amount>", "show only products of at most this price")
    .option("--currency <code>", "the currency of these prices (default: any)", currencyCode)
    .addOption(
      new Option("--out-of-stock", "also show products out of stock (default: only if the request asks)").conflicts(
        "inStockOnly",
      ),
    )
    .option("--in-stock-only", "never show products out of stock, even if the request asks")
    .option("--no-rotation", "do not rotate the lists after each use")
    .option("--rotation-rate <n>", "share of a list to replace after all of it was passed over, 0 to 1", share)
    .option("--rotation-days <n>", "days after which passed-over products return, up to 7", daysUpTo(7))
    .option("--no-fallback", "leave positions empty that no source fills")
    .option(
      "--variant <name=weight>",
      "variant for A/B tests and its weight; --file sets its changes; repeatable",
      plainVariant,
    )
    .addHelpText(
      "after",
      `
Example:
  $ aisle frame set --app shop1 --id cart-page --recommended 8 --alternative 0 --include-viewed
  $ aisle frame show --app shop1 --id cart-page --json > cart-page.json
  $ aisle frame set --app shop1 --file cart-page.json`,
    )
    .action((options: SetOptions) => setFrame(options, deps));
  appCommand(frame, "show", "show a frame with all settings")
    .requiredOption("--id <frame>", "the frame", plainId)
    .option("--json", "print the frame as JSON")
    .addHelpText("after", "\nExample:\n  $ aisle frame show --app shop1 --id default")
    .action((options: FrameOptions) => showFrame(options, deps));
  appCommand(frame, "list", "list the frames of an app")
    .option("--json", "print the frames as JSON")
    .addHelpText("after", "\nExample:\n  $ aisle frame list --app shop1")
    .action((options: AppOptions) => listFrames(options, deps));
  withDryRun(withServer(frame.command("remove")))
    .description('remove a frame; "default" returns to its initial settings')
    .requiredOption("--app <id>", "the app", plainId)
    .requiredOption("--id <frame>", "the frame", plainId)
    .addHelpText("after", "\nExample:\n  $ aisle frame remove --app shop1 --id cart-page")
    .action((options: FrameOptions) => removeFrame(options, deps));
  addFrameHistoryCommands(frame, deps);
  addFrameReportCommand(frame, deps);
}

async function setFrame(options: SetOptions, deps: CommandDeps): Promise<void> {
  const frameConfiguration =
    options.file === undefined ? typedFrame(options) : await frameOfFile(options.file, options.id, deps);
  const written = await withClients(options, deps, ({ apps }) =>
    apps.setFrameConfiguration({ appId: options.app, frameConfiguration }, CALL),
  );
  const { frameId = "", recommendedCount = 0, alternativeCount = 0 } = written.frameConfiguration ?? {};
  writeLine(
    deps.stdout,
    `Frame ${printable(frameId)} shows ${recommendedCount} recommended and ${alternativeCount} alternative products`,
  );
}

function typedFrame(options: SetOptions): MessageInitShape<typeof FrameConfigurationSchema> {
  const { id, recommended, alternative } = options;
  if (id === undefined || recommended === undefined || alternative === undefined)
    throw new UsageFailure("--id, --recommended and --alternative are required, or --file");
  return {
    frameId: id,
    title: options.title ?? "",
    ...(options.page !== undefined && { pageKind: options.page }),
    recommendedCount: recommended,
    alternativeCount: alternative,
    sources: [...(options.source ?? [])],
    ...(options.list !== undefined && { readyList: options.list }),
    rules: typedRules(options),
    exploration: options.explore,
    includeViewed: options.includeViewed ?? false,
    includeBought: options.includeBought ?? false,
    ...(options.rebuyAfter && { rebuyDelay: durationOfDays(options.rebuyAfter) }),
    diversity: options.diversity,
    rotation: options.rotation,
    ...(options.rotationRate !== undefined && { rotationRate: options.rotationRate }),
    ...(options.rotationDays !== undefined && { rotationPeriod: durationOfDays(options.rotationDays) }),
    fallback: options.fallback,
    ...(options.outOfStock && { inStockOnly: false }),
    ...(options.inStockOnly && { inStockOnly: true }),
    pinnedProductIds: [...(options.pin ?? [])],
    bannedProductIds: [...(options.ban ?? [])],
    filter: filterOf({ ...options, outOfStock: false }),
    variants: [...(options.variant ?? [])],
  };
}

async function frameOfFile(file: string, id: string | undefined, deps: CommandDeps): Promise<FrameConfiguration> {
  const text =
    file === "-"
      ? await readText(deps.stdin)
      : await readFile(file, "utf8").catch(() => {
          throw new Failure("--file cannot be read");
        });
  let frame: FrameConfiguration;
  try {
    const json: JsonValue = JSON.parse(text);
    frame = fromJson(FrameConfigurationSchema, json);
  } catch (error) {
    throw new UsageFailure(`--file holds no frame: ${error instanceof Error ? printable(error.message) : "no JSON"}`);
  }
  return id === undefined ? frame : { ...frame, frameId: id };
}

async function showFrame(options: FrameOptions, deps: CommandDeps): Promise<void> {
  const { frameConfiguration } = await withClients(options, deps, ({ apps }) =>
    apps.getFrameConfiguration({ appId: options.app, frameId: options.id }, CALL),
  );
  if (frameConfiguration === undefined) return;
  if (options.json) return writeJson(deps.stdout, toJson(FrameConfigurationSchema, frameConfiguration));
  const lines = frameLines(frameConfiguration);
  const width = Math.max(...lines.map(([name]) => name.length));
  for (const [name, text] of lines) writeLine(deps.stdout, `${name.padEnd(width)}  ${printable(text)}`);
}

async function removeFrame(options: FrameOptions, deps: CommandDeps): Promise<void> {
  await withClients(options, deps, ({ apps }) =>
    apps.deleteFrameConfiguration({ appId: options.app, frameId: options.id }, CALL),
  );
  writeLine(deps.stdout, `Frame ${options.id} is removed`);
}

function listFrames(options: AppOptions, deps: CommandDeps): Promise<void> {
  return printList(options, deps, {
    read: ({ apps }, pageToken) =>
      apps.listFrameConfigurations({ appId: options.app, pageSize: 1000, pageToken }, CALL),
    items: ({ frameConfigurations }) => frameConfigurations,
    json: (frame) => toJson(FrameConfigurationSchema, frame),
    columns: [
      ["id", ({ frameId }) => frameId],
      ["recommended", ({ recommendedCount }) => String(recommendedCount), "right"],
      ["alternative", ({ alternativeCount }) => String(alternativeCount), "right"],
      ["viewed too", ({ includeViewed }) => yes(includeViewed)],
      ["bought too", ({ includeBought, rebuyDelay }) => yes(includeBought || rebuyDelay !== undefined)],
      ["diversity", ({ diversity }) => String(diversity), "right"],
      ["variants", ({ variants }) => variants.map(({ name }) => printable(name)).join(", ")],
      ["title", ({ title }) => title],
    ],
  });
}

interface RollbackOptions extends FrameOptions {
  readonly to: number;
}

/** Versions of a frame. */
export function addFrameHistoryCommands(frame: Command, deps: CommandDeps): void {
  appCommand(frame, "history", "list the last 100 versions of a frame, newest first")
    .requiredOption("--id <frame>", "the frame", plainId)
    .option("--json", "print the versions as JSON")
    .addHelpText("after", "\nExample:\n  $ aisle frame history --app shop1 --id cart-page")
    .action((options: FrameOptions) => showHistory(options, deps));
  withDryRun(withServer(frame.command("rollback")))
    .description("restore an earlier version of a frame as a new version")
    .requiredOption("--app <id>", "the app", plainId)
    .requiredOption("--id <frame>", "the frame", plainId)
    .requiredOption("--to <version>", "the number of the version", wholeNumber(1, 999_999_999))
    .addHelpText("after", "\nExample:\n  $ aisle frame rollback --app shop1 --id cart-page --to 3")
    .action((options: RollbackOptions) => rollBack(options, deps));
}

async function showHistory(options: FrameOptions, deps: CommandDeps): Promise<void> {
  const versions = await withClients(options, deps, (clients) => versionsOf(clients, options));
  const answer = create(ListFrameVersionsResponseSchema, { versions });
  if (options.json) return writeJson(deps.stdout, toJson(ListFrameVersionsResponseSchema, answer));
  writeTable(
    deps.stdout,
    [
      ["version", ({ frameConfiguration: frame }) => String(frame?.version ?? 0), "right"],
      ["written", ({ frameConfiguration: frame }) => timeText(frame?.updateTime)],
      ["what", (version, at) => changesText(version, versions[at + 1])],
    ],
    versions,
  );
}

/** Differences between a version and the one before it. */
function changesText(version: FrameVersion, before: FrameVersion | undefined): string {
  if (version.deleted) return "removed";
  const said = linesOf(version);
  const earlier = before === undefined || before.deleted ? undefined : linesOf(before);
  if (earlier === undefined) return before === undefined ? "" : "made again";
  const changed = [...said]
    .filter(([name, text]) => earlier.get(name) !== text)
    .map(([name, text]) => `${name}: ${text}`);
  const gone = [...earlier.keys()].filter((name) => !said.has(name)).map((name) => `${name}: none`);
  return printable([...changed, ...gone].join("; ")) || "as before";
}

function linesOf({ frameConfiguration }: FrameVersion): ReadonlyMap<string, string> {
  const lines = frameConfiguration === undefined ? [] : frameLines(frameConfiguration);
  return new Map(lines.filter(([name]) => name !== "version"));
}

async function rollBack(options: RollbackOptions, deps: CommandDeps): Promise<void> {
  const written = await withClients(options, deps, async (clients) => {
    const versions = await versionsOf(clients, options);
    const [last] = versions;
    const found = versions.find(
      ({ frameConfiguration, deleted }) => !deleted && frameConfiguration?.version === options.to,
    );
    const content = found?.frameConfiguration;
    if (last === undefined || content === undefined)
      throw new Failure(`Frame ${options.id} has no version ${options.to}: see "aisle frame history"`);
    const etag = last.deleted ? "" : (last.frameConfiguration?.etag ?? "");
    const request = { appId: options.app, frameConfiguration: content, etag };
    return clients.apps.setFrameConfiguration(request, CALL);
  });
  const version = written.frameConfiguration?.version ?? 0;
  writeLine(deps.stdout, `Frame ${options.id} is as in version ${options.to} again: version ${version}`);
}

function versionsOf({ apps }: Clients, { app, id }: FrameOptions): Promise<FrameVersion[]> {
  const request = { appId: app, frameId: id, pageSize: 1000 };
  return allPages(
    (pageToken) => apps.listFrameVersions({ ...request, pageToken }, CALL),
    ({ versions }) => versions,
  );
}
