import { writeFile } from "node:fs/promises";
import { toJson } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { EvaluationSchema } from "../gen/aisle/v1/evaluation_pb.js";
import { type AppOptions, withClients, withDryRun, withServer } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { Failure } from "./errors.js";
import { evaluationPicture } from "./evaluation-chart.js";
import { writeEvaluation } from "./evaluation-tables.js";
import { followUnless } from "./operation-progress.js";
import { plainId, wholeNumber } from "./option-values.js";
import { writeJson } from "./output.js";

interface EvaluateOptions extends AppOptions {
  /** False: do not wait for the end. */
  readonly wait: boolean;
  readonly picture?: string;
  readonly queries?: number;
  readonly seed?: number;
}

export function define(command: Command, deps: CommandDeps): void {
  withDryRun(withServer(command))
    .requiredOption("--app <id>", "the app", plainId)
    .option("--json", "print the figures as JSON")
    .option("--picture <file>", "write a chart of the figures (SVG)")
    .option(
      "--queries <count>",
      "maximum number of queries per task, sampled by the seed (default: 5000)",
      wholeNumber(1, 1_000_000),
    )
    .option("--seed <number>", "seed of the sample", wholeNumber(1, 999_999_999))
    .option("--no-wait", "print the id of the operation and end; the evaluation goes on")
    .addHelpText("after", "\nExample:\n  $ aisle evaluate --app shop1 --picture quality.svg")
    .action((options: EvaluateOptions) => evaluate(options, deps));
}

async function evaluate(options: EvaluateOptions, deps: CommandDeps): Promise<void> {
  const request = { appId: options.app, maxQueries: options.queries ?? 0, seed: options.seed ?? 0 };
  // Report an unwritable file before the evaluation, which takes minutes.
  if (options.picture !== undefined && !options.dryRun) await writePicture(options.picture, "");
  const done = await withClients(options, deps, async (clients) => {
    const { operation } = await clients.models.evaluateModel(request);
    return followUnless(clients, operation, options, { name: "evaluating", deps });
  });
  if (done === undefined) return;
  if (done.result.case !== "evaluation") throw new Failure("The evaluation ended without a result");
  const found = done.result.value;
  // Figures of 0 are printed too, so that every evaluation has the same fields.
  if (options.json) writeJson(deps.stdout, toJson(EvaluationSchema, found, { alwaysEmitImplicit: true }));
  else writeEvaluation(deps.stdout, found);
  if (options.picture !== undefined) await writePicture(options.picture, evaluationPicture(found, options.app));
}

async function writePicture(path: string, picture: string): Promise<void> {
  try {
    await writeFile(path, picture);
  } catch (cause) {
    throw new Failure("--picture: the file cannot be written", 1, { cause });
  }
}
