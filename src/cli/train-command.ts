import { toJson } from "@bufbuild/protobuf";
import { durationMs } from "@bufbuild/protobuf/wkt";
import type { Command } from "commander";
import {
  Algorithm,
  type Model,
  type ModelAlgorithm,
  ModelSchema,
  type PredictionQuality,
  RankerForest,
} from "../gen/aisle/v1/model_pb.js";
import { type AppOptions, withClients, withDryRun, withServer } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { Failure } from "./errors.js";
import { enumWord, timeText } from "./message-values.js";
import { followUnless } from "./operation-progress.js";
import { plainId } from "./option-values.js";
import { count, duration, megabytes, printable, writeJson, writeLine } from "./output.js";

interface TrainOptions extends AppOptions {
  /** False: do not wait for the end. */
  readonly wait: boolean;
}

export function define(command: Command, deps: CommandDeps): void {
  withDryRun(withServer(command))
    .requiredOption("--app <id>", "the app", plainId)
    .option("--json", "print the model as JSON")
    .option("--no-wait", "print the id of the operation and end; the training goes on")
    .addHelpText("after", "\nExample:\n  $ aisle train --app shop1")
    .action((options: TrainOptions) => train(options, deps));
}

async function train(options: TrainOptions, deps: CommandDeps): Promise<void> {
  const done = await withClients(options, deps, async (clients) => {
    const { operation } = await clients.models.trainModel({ appId: options.app });
    return followUnless(clients, operation, options, { name: "training", deps });
  });
  if (done === undefined) return;
  if (done.result.case !== "model") throw new Failure("The training ended without a model");
  const model = done.result.value;
  if (options.json) writeJson(deps.stdout, toJson(ModelSchema, model));
  else for (const line of modelLines(model)) writeLine(deps.stdout, line);
}

/** Where the trees of the ranker come from. */
const FORESTS: Readonly<Record<RankerForest, string>> = {
  [RankerForest.UNSPECIFIED]: "",
  [RankerForest.SHIPPED]: ", the trees that come with Aisle",
  [RankerForest.OWN]: ", own trees",
  [RankerForest.SHIPPED_AND_OWN]: ", own trees added to those that come with Aisle",
};

/** The evaluation of an algorithm on the newest data; "" for none. */
function judged({ case: algorithm, value }: ModelAlgorithm["facts"]): string {
  switch (algorithm) {
    case "sessionNeighbours":
    case "blend":
      return value.judged === undefined ? "" : `, ${qualityText(value.judged)}`;
    case "ranker": {
      const { judged, sessionNeighbours } = value;
      const forest = FORESTS[value.forest];
      if (judged === undefined || sessionNeighbours === undefined) return forest;
      return `${forest}, ${qualityText(judged)} (on the same visits without it ${qualityText(sessionNeighbours)})`;
    }
    default:
      return "";
  }
}

function qualityText({ hitRate, reciprocalRank }: PredictionQuality): string {
  return `HR@20 ${hitRate.toFixed(3)}, MRR@20 ${reciprocalRank.toFixed(3)}`;
}

function modelLines(model: Model): string[] {
  const data = (["interactions", "orders", "products", "sessions", "visitors"] as const).flatMap((name) => {
    const value = model.dataCounts?.[name] ?? 0n;
    return value === 0n ? [] : [`${count(value)} ${name}`];
  });
  const upTo = model.cutOffTime === undefined ? "" : `, up to ${timeText(model.cutOffTime)}`;
  const lines = [
    `Model ${model.modelId}${model.active ? ` serves as version ${model.version}` : " was trained but does not serve"}`,
    `  trained in ${duration(model.trainingDuration === undefined ? 0 : durationMs(model.trainingDuration))}, ${megabytes(model.sizeBytes)}${upTo}`,
  ];
  if (data.length > 0) lines.push(`  learned from ${data.join(", ")}`);
  for (const algorithm of model.algorithms) {
    const state = algorithm.included
      ? `included${judged(algorithm.facts)}`
      : `left out: ${printable(algorithm.reason)}`;
    lines.push(`  ${enumWord(Algorithm, algorithm.algorithm)}: ${state}`);
  }
  return lines;
}
