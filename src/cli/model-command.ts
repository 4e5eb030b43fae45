import { toJson } from "@bufbuild/protobuf";
import type { Command } from "commander";
import {
  Algorithm,
  EvaluatedPage,
  type Model,
  type ModelAlgorithm,
  ModelSchema,
  TrainingReason,
} from "../gen/aisle/v1/model_pb.js";
import { RecommendationSource } from "../gen/aisle/v1/recommendation_reason_pb.js";
import { type AppOptions, appCommand, CALL, type Clients, withClients, withDryRun } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { Failure } from "./errors.js";
import { allPages, printList } from "./list.js";
import { enumWord, timeText } from "./message-values.js";
import { count, megabytes, percent, printable, writeJson, writeLine, writeTable } from "./output.js";

export function define(model: Command, deps: CommandDeps): void {
  const command = (name: string, description: string, example: string) =>
    appCommand(model, name, description).addHelpText("after", `\nExample:\n  $ aisle model ${example}`);
  command("list", "list the models that are kept, newest first", "list --app shop1")
    .option("--json", "print the models as JSON")
    .action((options: AppOptions) => listModels(options, deps));
  command("show", "show a model, and how much better than bestsellers it is", "show --app shop1")
    .option("--id <model>", "the model (default: the one that serves)")
    .option("--json", "print the model as JSON")
    .action((options: AppOptions & { readonly id?: string }) => show(options, deps));
  withDryRun(command("activate", "serve a kept model and hold the app on it", "activate --app shop1 --id 019a…"))
    .requiredOption("--id <model>", "the model")
    .action((options: AppOptions & { readonly id: string }) => activate(options, deps));
  withDryRun(command("hold", "keep the serving model when others are trained", "hold --app shop1")).action(
    (options: AppOptions) => setHold(options, true, deps),
  );
  withDryRun(command("release", "serve the newest model, and each one that is trained", "release --app shop1")).action(
    (options: AppOptions) => setHold(options, false, deps),
  );
  command("diff", "compare data and algorithms of two models", "diff --app shop1")
    .option("--from <model>", "a model (default: the one before the other)")
    .option("--to <model>", "another model (default: the newest)")
    .option("--json", "print the differences as JSON")
    .action((options: DiffOptions) => diff(options, deps));
}

function listModels(options: AppOptions, deps: CommandDeps): Promise<void> {
  return printList(options, deps, {
    read: (clients, pageToken) => pageOfModels(clients, options.app, pageToken),
    items: ({ models }) => models,
    json: (model) => toJson(ModelSchema, model),
    columns: [
      ["id", ({ modelId }) => modelId],
      ["trained", ({ createTime }) => timeText(createTime)],
      ["data up to", ({ cutOffTime }) => timeText(cutOffTime)],
      ["size", ({ sizeBytes }) => megabytes(sizeBytes), "right"],
      ["serves", servesText],
    ],
  });
}

function pageOfModels({ models }: Clients, appId: string, pageToken: string) {
  return models.listModels({ appId, pageSize: 100, pageToken }, CALL);
}

async function show(options: AppOptions & { readonly id?: string }, deps: CommandDeps): Promise<void> {
  const { model } = await withClients(options, deps, ({ models }) =>
    models.getModel({ appId: options.app, modelId: options.id ?? "" }, CALL),
  );
  if (model === undefined) return;
  if (options.json) return writeJson(deps.stdout, toJson(ModelSchema, model));
  const { stdout } = deps;
  writeLine(stdout, `model       ${printable(model.modelId)}`);
  writeLine(stdout, `trained     ${timeText(model.createTime)}${TRAINING_REASONS[model.trainingReason]}`);
  writeLine(stdout, `data up to  ${timeText(model.cutOffTime)}`);
  writeLine(stdout, `size        ${megabytes(model.sizeBytes)}`);
  writeLine(stdout, `serves      ${servesText(model) || "no"}`);
  if (model.evaluations.length === 0) {
    writeLine(stdout, "There are too few new visits and orders to compare it with bestsellers");
    return;
  }
  writeTable(
    stdout,
    [
      ["page", ({ page }) => EVALUATED_PAGES[page]],
      ["questions", ({ questionCount }) => count(questionCount), "right"],
      ["hits", ({ hitRate }) => `${percent(hitRate)} %`, "right"],
      ["hits of bestsellers", ({ popularityHitRate }) => `${percent(popularityHitRate)} %`, "right"],
      [
        "better by (95 %)",
        ({ gain }) =>
          gain === undefined ? "" : `${percent(gain.value)} points (${percent(gain.low)} to ${percent(gain.high)})`,
        "right",
      ],
    ],
    model.evaluations,
  );
}

const TRAINING_REASONS: Readonly<Record<TrainingReason, string>> = {
  [TrainingReason.UNSPECIFIED]: "",
  [TrainingReason.REQUESTED]: ", as requested",
  [TrainingReason.FIRST_DATA]: ", when the app had its first data",
  [TrainingReason.DATA_GREW]: ", because the data grew by a tenth",
  [TrainingReason.SCHEDULE]: ", by schedule after a change",
};

const EVALUATED_PAGES: Readonly<Record<EvaluatedPage, string>> = {
  [EvaluatedPage.UNSPECIFIED]: "other",
  [EvaluatedPage.BROWSING]: "product",
  [EvaluatedPage.BROWSING_WITH_CART]: "product, with a cart",
  [EvaluatedPage.CART]: "cart",
};

function servesText({ active, held, version }: Model): string {
  if (!active) return "";
  return `version ${printable(version)}${held ? ", held" : ""}`;
}

async function activate(options: AppOptions & { readonly id: string }, deps: CommandDeps): Promise<void> {
  const { model } = await withClients(options, deps, ({ models }) =>
    models.activateModel({ appId: options.app, modelId: options.id }, CALL),
  );
  writeServing(model, deps);
}

async function setHold(options: AppOptions, held: boolean, deps: CommandDeps): Promise<void> {
  const { model } = await withClients(options, deps, ({ models }) =>
    models.setModelHold({ appId: options.app, held }, CALL),
  );
  writeServing(model, deps);
}

function writeServing(model: Model | undefined, { stdout }: CommandDeps): void {
  if (model === undefined) return;
  writeLine(stdout, `Model ${printable(model.modelId)} serves as version ${printable(model.version)}`);
  writeLine(
    stdout,
    model.held ? 'Trainings do not replace it until "aisle model release"' : "The next training replaces it",
  );
}

interface DiffOptions extends AppOptions {
  readonly from?: string;
  readonly to?: string;
}

async function diff(options: DiffOptions, deps: CommandDeps): Promise<void> {
  const models = await withClients(options, deps, (clients) =>
    allPages(
      (pageToken) => pageOfModels(clients, options.app, pageToken),
      (page) => page.models,
    ),
  );
  const find = (id: string) => {
    const found = models.findIndex(({ modelId }) => modelId === id);
    if (found < 0) throw new Failure(`There is no model ${printable(id)}`);
    return found;
  };
  const later = options.to === undefined ? 0 : find(options.to);
  const earlier = options.from === undefined ? later + 1 : find(options.from);
  const [from, to] = [models[earlier], models[later]];
  if (from === undefined || to === undefined) throw new Failure("There are no two models to compare");
  const rows = [...dataRows(from, to), ...algorithmRows(from, to)];
  if (options.json)
    writeJson(deps.stdout, {
      from: from.modelId,
      to: to.modelId,
      differences: rows.map(([what, before, after]) => ({ what, before, after })),
    });
  else if (rows.length === 0) writeLine(deps.stdout, "Data and algorithms are the same");
  else
    writeTable(
      deps.stdout,
      [
        ["", ([what]) => what],
        [from.modelId, ([, before]) => before, "right"],
        [to.modelId, ([, , after]) => after, "right"],
      ],
      rows,
    );
}

const DATA_COUNTS = ["events", "interactions", "orders", "products", "sessions", "visitors"] as const;

type Row = readonly [string, string, string];

function dataRows(from: Model, to: Model): Row[] {
  const rows = DATA_COUNTS.map((name): Row => {
    const of = ({ dataCounts }: Model) => count(dataCounts?.[name] ?? 0n);
    return [name, of(from), of(to)];
  });
  return [["data up to", timeText(from.cutOffTime), timeText(to.cutOffTime)] as const, ...rows].filter(
    ([, a, b]) => a !== b,
  );
}

function algorithmRows(from: Model, to: Model): Row[] {
  const all = [...new Set([...from.algorithms, ...to.algorithms].map(({ algorithm }) => algorithm))];
  return all.flatMap((algorithm) => {
    const [a, b] = [from, to].map(({ algorithms }) => algorithms.find((one) => one.algorithm === algorithm));
    const [ofA, ofB] = [algorithmFigures(a?.facts), algorithmFigures(b?.facts)];
    const name = enumWord(Algorithm, algorithm);
    const included: Row = [name, includedText(a), includedText(b)];
    const figures = [...new Set([...ofA.keys(), ...ofB.keys()])]
      .sort()
      .map((key): Row => [`${name} ${key}`, figure(ofA.get(key)), figure(ofB.get(key))]);
    return [included, ...figures].filter(([, x, y]) => x !== y);
  });
}

function includedText(algorithm: ModelAlgorithm | undefined): string {
  return algorithm?.included ? "included" : "left out";
}

function figure(value: number | undefined): string {
  if (value === undefined) return "";
  return Number.isInteger(value) ? count(value) : value.toPrecision(3);
}

/** The sizes and judgements of an algorithm as names and numbers. */
export function algorithmFigures(facts: ModelAlgorithm["facts"] | undefined): ReadonlyMap<string, number> {
  if (facts?.case === undefined) return new Map();
  if (facts.case !== "blend") return new Map(numbersOf(facts.value, ""));
  const { sources, ...blend } = facts.value;
  const ofSources = sources.flatMap(({ source, ...figures }) =>
    numbersOf(figures, `${enumWord(RecommendationSource, source)} `),
  );
  return new Map([...numbersOf(blend, ""), ...ofSources]);
}

/** The numbers of a message and of the messages in it. */
function numbersOf(message: object, path: string): (readonly [string, number])[] {
  const fields: readonly (readonly [string, unknown])[] = Object.entries(message);
  return fields.flatMap(([name, value]) => {
    if (name.startsWith("$")) return [];
    const word = path + name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (typeof value === "number" || typeof value === "bigint") return [[word, Number(value)] as const];
    return typeof value === "object" && value !== null ? numbersOf(value, `${word} `) : [];
  });
}
