import { durationFromMs, durationMs } from "@bufbuild/protobuf/wkt";
import { type Command, InvalidArgumentError, Option } from "commander";
import { feedFormatMessage, feedFormatWord } from "../catalog/feed/feed-formats.js";
import { FEED_FORMATS } from "../catalog/feed/feed-reader.js";
import { type Feed, FeedOutcome, type FeedRun } from "../gen/aisle/v1/feed_pb.js";
import type { Operation } from "../gen/aisle/v1/operation_pb.js";
import { type AppOptions, appCommand, CALL, type Clients, withClients, withDryRun } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { Failure } from "./errors.js";
import { printList } from "./list.js";
import { timeText } from "./message-values.js";
import { followUnless } from "./operation-progress.js";
import { currencyCode, plainId } from "./option-values.js";
import { count, duration, printable, writeLine } from "./output.js";

interface SetOptions extends AppOptions {
  readonly id: string;
  readonly url: string;
  readonly every: number;
  readonly format?: string;
  readonly currency?: string;
  readonly full?: boolean;
}

interface RunOptions extends AppOptions {
  readonly id: string;
  readonly force?: boolean;
  /** False: do not wait for the end. */
  readonly wait: boolean;
}

const DEFAULT_ID = "main";
/** An import that has not begun by then may have no process to read it. */
const HINT_AFTER_MS = 60_000;

export function define(feed: Command, deps: CommandDeps): void {
  const command = (name: string, description: string) => appCommand(feed, name, description);
  const named = (name: string, description: string) =>
    command(name, description).option("--id <id>", "id of the feed", plainId, DEFAULT_ID);
  withDryRun(named("set", "set the URL of a feed; Aisle imports it now and then on a schedule"))
    .requiredOption("--url <url>", "an https address")
    .requiredOption("--every <time>", "import interval: 15m, 1h, 1d; 5m to 30d", interval)
    .addOption(new Option("--format <format>", "format, if detection fails").choices(FEED_FORMATS))
    .option("--currency <code>", "default currency of prices, such as EUR", currencyCode)
    .option("--full", "hide products that the feed does not list, but never more than half of them")
    .addHelpText(
      "after",
      `
One of the processes that train imports the feed. "aisle import products --help" describes the formats; limits are 4 GiB
and one hour. An unchanged feed (ETag, Last-Modified) is skipped, but imported once a day.

Example:
  $ aisle feed set --app shop1 --url https://shop.example/feed.xml --every 1h --full`,
    )
    .action((options: SetOptions) => setFeed(options, deps));
  command("list", "list the feeds of an app and the result of their last import")
    .option("--json", "print one JSON document a line")
    .addHelpText("after", "\nExample:\n  $ aisle feed list --app shop1")
    .action((options: AppOptions) => listFeeds(options, deps));
  withDryRun(named("run", "import a feed now, wait for the end, and print the result"))
    .option("--force", "hide unlisted products this time even if they are more than half")
    .option("--no-wait", "print the id of the operation and end; the import goes on")
    .addHelpText("after", "\nExample:\n  $ aisle feed run --app shop1")
    .action((options: RunOptions) => runFeed(options, deps));
  withDryRun(named("remove", "stop importing a feed; its products stay"))
    .addHelpText("after", "\nExample:\n  $ aisle feed remove --app shop1")
    .action((options: AppOptions & { readonly id: string }) => removeFeed(options, deps));
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function interval(text: string): number {
  const [, digits = "", unit = ""] = /^(\d{1,5})([mhd])$/.exec(text.trim().toLowerCase()) ?? [];
  if (digits === "") throw new InvalidArgumentError("A time such as 15m, 1h or 1d is accepted.");
  return Number(digits) * (UNITS[unit] ?? 0);
}

async function setFeed(options: SetOptions, deps: CommandDeps): Promise<void> {
  const { app: appId, id: feedId, url, every, format = "", currency = "", full = false } = options;
  const feed = { feedId, url, format: feedFormatMessage(format), currency, full, interval: durationFromMs(every) };
  await withClients(options, deps, ({ catalog }) => catalog.setFeed({ appId, feed }, CALL));
  writeLine(deps.stdout, `Feed ${feedId} of ${appId} is imported every ${intervalText(every)}, starting now`);
}

function listFeeds(options: AppOptions, deps: CommandDeps): Promise<void> {
  return printList(options, deps, {
    read: ({ catalog }, pageToken) => catalog.listFeeds({ appId: options.app, pageToken }, CALL),
    items: ({ feeds }) => feeds,
    json: feedJson,
    inDocuments: true,
    none: "The app has no feeds",
    columns: [
      ["id", ({ feedId }) => feedId],
      ["every", ({ interval: every, full }) => intervalText(every ? durationMs(every) : 0) + (full ? ", full" : "")],
      ["url", ({ url }) => url],
      ["last read", ({ lastRun }) => timeText(lastRun?.startTime)],
      [
        "last result",
        ({ running, lastRun }) =>
          [running && "reading now", lastRun && runText(lastRun)].filter((text) => text).join("; "),
      ],
    ],
  });
}

function feedJson({
  feedId,
  url,
  format,
  currency,
  full,
  interval: every,
  nextRunTime: nextAt,
  running,
  lastRun,
}: Feed) {
  return {
    feedId,
    url,
    format: feedFormatWord(format) ?? "other",
    currency,
    full,
    everyMs: every === undefined ? 0 : durationMs(every),
    nextAt: timeText(nextAt),
    running,
    lastRun:
      lastRun === undefined
        ? null
        : {
            at: timeText(lastRun.startTime),
            outcome: FeedOutcome[lastRun.outcome].toLowerCase(),
            accepted: Number(lastRun.accepted),
            rejected: Number(lastRun.rejected),
            hidden: Number(lastRun.hidden),
            error: lastRun.error,
            rejects: lastRun.rejects.map(({ position, productId, reason }) => ({
              position: Number(position),
              id: productId,
              reason,
            })),
          },
  };
}

async function runFeed(options: RunOptions, deps: CommandDeps): Promise<void> {
  const { app: appId, id: feedId, force = false, wait } = options;
  const done = await withClients(options, deps, async (clients) => {
    const { operation } = await clients.catalog.runFeed({ appId, feedId, force }, CALL);
    if (options.dryRun) return undefined;
    const hint = wait ? setTimeout(() => void hintUnlessBegun(clients, operation, deps), HINT_AFTER_MS) : undefined;
    try {
      return await followUnless(clients, operation, { wait }, { name: "import", deps });
    } finally {
      clearTimeout(hint);
    }
  });
  if (done === undefined) return;
  if (done.result.case !== "feedRun") throw new Failure("The import ended without a result");
  const run = done.result.value;
  for (const { position, reason } of run.rejects) writeLine(deps.stderr, `entry ${position}: ${printable(reason)}`);
  writeLine(deps.stdout, runText(run));
}

async function hintUnlessBegun({ operations }: Clients, asked: Operation | undefined, deps: CommandDeps) {
  if (asked === undefined) return;
  const { appId, operationId } = asked;
  const seen = await operations.getOperation({ appId, operationId }, CALL).catch(() => undefined); // it is only a hint
  if (seen?.operation !== undefined && seen.operation.startTime === undefined)
    writeLine(deps.stderr, "No process has started the import: is a process with the role all or trainer running?");
}

async function removeFeed(options: AppOptions & { readonly id: string }, deps: CommandDeps): Promise<void> {
  const { app: appId, id: feedId } = options;
  await withClients(options, deps, ({ catalog }) => catalog.deleteFeed({ appId, feedId }, CALL));
  writeLine(deps.stdout, `Feed ${feedId} of ${appId} is removed`);
}

function runText({ outcome, accepted, rejected, hidden, error, duration: took }: FeedRun): string {
  const why = error === "" ? "" : `: ${printable(error)}`;
  if (outcome === FeedOutcome.UNCHANGED) return "unchanged since the last import";
  if (outcome === FeedOutcome.FAILED) return `failed${why}`;
  const tookText = took === undefined ? "" : `, in ${duration(durationMs(took))}`;
  return `${count(accepted)} products imported, ${count(rejected)} rejected, ${count(hidden)} hidden${tookText}${why}`;
}

function intervalText(ms: number): string {
  for (const unit of ["d", "h"]) {
    const length = UNITS[unit] ?? 1;
    if (ms >= length && ms % length === 0) return `${ms / length}${unit}`;
  }
  return `${Math.round(ms / 60_000)}m`;
}
