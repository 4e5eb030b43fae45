import { toJson } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Command, Option } from "commander";
import { GetFrameReportResponseSchema } from "../gen/aisle/v1/app_service_pb.js";
import type {
  FrameReport,
  FrameResults,
  FrameSales,
  FrameVariantReport,
  RateEstimate,
} from "../gen/aisle/v1/frame_report_pb.js";
import { type AppOptions, CALL, withClients, withServer } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { plainId } from "./option-values.js";
import { type Column, count, type Output, percent, writeCsvLine, writeJson, writeLine, writeTable } from "./output.js";

interface ReportOptions extends AppOptions {
  readonly id?: string;
  readonly from?: string;
  readonly until?: string;
  readonly csv?: boolean;
}

const HELP = `
Each visitor counts once, and each order once, on the day when the visitor first saw the frame. Clicks are of visitors
who clicked, orders of visitors who ordered within 7 days. Revenue has the newest amount that the shop sent of each
order, so a refund lowers it; cancelled orders are left out. Intervals are of 95 %: Wilson for rates, Newcombe for
differences between variants. The CSV has a line for each frame and day.

Example:
  $ aisle frame report --app shop1
  $ aisle frame report --app shop1 --id cart-page --from 2026-11-01
  $ aisle frame report --app shop1 --csv > results.csv`;

/** Adds `frame report`: what came of frames. */
export function addFrameReportCommand(frame: Command, deps: CommandDeps): void {
  withServer(frame.command("report"))
    .description("show the results of frames: visitors, clicks, orders and revenue")
    .requiredOption("--app <id>", "the app", plainId)
    .option("--id <frame>", "only this frame, by day and by variant", plainId)
    .option("--from <day>", "the first day, YYYY-MM-DD in UTC")
    .option("--until <day>", "the last day")
    .option("--json", "print the report as JSON")
    .addOption(new Option("--csv", "print the days of each frame as CSV").conflicts("json"))
    .addHelpText("after", HELP)
    .action((options: ReportOptions) => showReport(options, deps));
}

async function showReport(options: ReportOptions, deps: CommandDeps): Promise<void> {
  const { app: appId, id: frameId = "", from: fromDay = "", until: toDay = "" } = options;
  const report = await withClients(options, deps, ({ apps }) =>
    apps.getFrameReport({ appId, frameId, fromDay, toDay }, CALL),
  );
  const { frames } = report;
  if (options.json) writeJson(deps.stdout, toJson(GetFrameReportResponseSchema, report));
  else if (options.csv) writeCsv(deps.stdout, frames);
  else if (options.id === undefined)
    writeResults(
      deps.stdout,
      "frame",
      frames.map(({ frameId, total }) => ({ name: frameId, results: total })),
    );
  else for (const frame of frames) writeFrame(deps.stdout, frame);
}

function writeFrame(stdout: Output, { total, days, variants }: FrameReport): void {
  writeResults(stdout, "day", [
    ...days.map(({ day, results }) => ({ name: day, results })),
    { name: "total", results: total },
  ]);
  for (const experiment of experimentsOf(variants)) {
    writeLine(stdout, "");
    writeLine(stdout, experimentText(experiment));
    writeVariants(stdout, experiment);
  }
}

/** The variants of each experiment, as the report has them: the running one first. */
function experimentsOf(variants: readonly FrameVariantReport[]): readonly (readonly FrameVariantReport[])[] {
  const experiments = new Map<string, FrameVariantReport[]>();
  for (const variant of variants) {
    const start = startText(variant);
    experiments.set(start, [...(experiments.get(start) ?? []), variant]);
  }
  return [...experiments.values()];
}

function startText({ experimentStartTime }: FrameVariantReport): string {
  return experimentStartTime === undefined ? "" : timestampDate(experimentStartTime).toISOString();
}

function experimentText(variants: readonly FrameVariantReport[]): string {
  const [first] = variants;
  const start = first === undefined ? "" : startText(first);
  const since = start === "" ? "" : ` since ${start.slice(0, 16).replace("T", " ")} UTC`;
  return `${variants.some(({ isRunning }) => isRunning) ? "Running experiment" : "Earlier experiment"}${since}`;
}

type Told = Pick<FrameVariantReport, "results">;
const ANSWERS: Column<Told> = ["answers", ({ results }) => count(results?.exposureCount ?? 0), "right"];
const VISITORS: Column<Told> = ["visitors", ({ results }) => count(results?.visitorCount ?? 0), "right"];
const CLICKED: Column<Told> = ["clicked", ({ results }) => rateText(results?.clickRate), "right"];
const ORDERED: Column<Told> = ["ordered", ({ results }) => rateText(results?.orderRate), "right"];

function writeResults(
  stdout: Output,
  title: string,
  rows: readonly { readonly name: string; readonly results?: FrameResults | undefined }[],
): void {
  writeTable<Told & { readonly name: string }>(
    stdout,
    [
      [title, ({ name }) => name],
      ...[ANSWERS, VISITORS, CLICKED, ORDERED],
      ["orders after a click", ({ results }) => salesTexts(results?.salesAfterClick ?? [])],
      ["other orders", ({ results }) => salesTexts(results?.salesWithoutClick ?? [])],
    ],
    rows,
  );
}

function writeVariants(stdout: Output, variants: readonly FrameVariantReport[]): void {
  writeTable(
    stdout,
    [
      ["variant", ({ variant }) => variant],
      ...[ANSWERS, VISITORS, CLICKED],
      ["to the first", ({ clickRateDifference }) => differenceText(clickRateDifference)],
      ORDERED,
      ["to the first", ({ orderRateDifference }) => differenceText(orderRateDifference)],
    ],
    variants,
  );
}

/** `3: 120.00 EUR`, a line for each currency. */
function salesTexts(sales: readonly FrameSales[]): string[] {
  return sales.map(({ orderCount, revenue }) => {
    const paid =
      revenue === undefined ? "payment not known" : `${revenue.amount} ${revenue.currency || "without a currency"}`;
    return `${count(orderCount)}: ${paid}`;
  });
}

function rateText(rate: RateEstimate | undefined): string {
  return rate === undefined ? "" : `${percent(rate.value)} % (${percent(rate.low)} to ${percent(rate.high)})`;
}

function differenceText(rate: RateEstimate | undefined): string {
  return rate === undefined ? "" : `${signed(rate.value)} (${signed(rate.low)} to ${signed(rate.high)})`;
}

function signed(value: number): string {
  return `${value > 0 ? "+" : ""}${percent(value)}`;
}

/** A line for each frame and day. Each currency has columns of its own, so that every column can be summed. */
function writeCsv(stdout: Output, frames: readonly FrameReport[]): void {
  const all = frames.flatMap(({ days }) => days.flatMap(({ results }) => salesOf(results)));
  const currencies = [...new Set(all.map(({ revenue }) => revenue?.currency ?? ""))].sort();
  const named = currencies.map((currency) => currency || "unknown");
  writeCsvLine(stdout, [
    ...["frame", "day", "answers", "visitors", "clicked_visitors", "ordering_visitors", "clicks"],
    ...["click_rate", "click_rate_low", "click_rate_high", "order_rate", "order_rate_low", "order_rate_high"],
    ...["orders_after_click", "orders_without_click"],
    ...named.flatMap((name) => [`revenue_after_click_${name}`, `revenue_without_click_${name}`]),
  ]);
  for (const { frameId, days } of frames)
    for (const { day, results } of days) if (results) writeCsvLine(stdout, csvCells(frameId, day, results, currencies));
}

function csvCells(frameId: string, day: string, results: FrameResults, currencies: readonly string[]): string[] {
  const { exposureCount, visitorCount, clickedVisitorCount, orderingVisitorCount, clickCount } = results;
  const { salesAfterClick, salesWithoutClick, clickRate, orderRate } = results;
  const ends = (rate: RateEstimate | undefined) =>
    [rate?.value, rate?.low, rate?.high].map((value = 0) => value.toFixed(4));
  const orders = (sales: readonly FrameSales[]) => String(sales.reduce((sum, { orderCount }) => sum + orderCount, 0));
  const revenue = (sales: readonly FrameSales[], currency: string) =>
    sales.find(({ revenue: paid }) => (paid?.currency ?? "") === currency && paid !== undefined)?.revenue?.amount ??
    "0";
  return [
    ...[frameId, day],
    ...[exposureCount, visitorCount, clickedVisitorCount, orderingVisitorCount, clickCount].map(String),
    ...[...ends(clickRate), ...ends(orderRate)],
    ...[orders(salesAfterClick), orders(salesWithoutClick)],
    ...currencies.flatMap((currency) => [revenue(salesAfterClick, currency), revenue(salesWithoutClick, currency)]),
  ];
}

function salesOf({ salesAfterClick, salesWithoutClick }: Partial<FrameResults> = {}): readonly FrameSales[] {
  return [...(salesAfterClick ?? []), ...(salesWithoutClick ?? [])];
}
