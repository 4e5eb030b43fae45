import { toJson } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { FrameConfigurationSchema } from "../gen/aisle/v1/app_pb.js";
import { allPages, CALL_TIMEOUT_MS, type ServerOptions, withClients, withServer } from "./client.js";
import { printable, writeJson, writeLine, writeTable } from "./output.js";
import type { ProgramDeps } from "./program.js";
import { plainId, share, wholeNumber } from "./values.js";

interface SetOptions extends ServerOptions {
  readonly app: string;
  readonly id: string;
  readonly recommended: number;
  readonly alternative: number;
  readonly title?: string;
  readonly includeViewed?: boolean;
  readonly includeBought?: boolean;
  readonly diversity: number;
}

interface ListOptions extends ServerOptions {
  readonly app: string;
  readonly json?: boolean;
}

export function addFrameCommands(program: Command, deps: ProgramDeps): void {
  const frame = program
    .command("frame")
    .description("set and list frames: places in a shop's pages that show products");
  withServer(frame.command("set"))
    .description("make or replace a frame")
    .requiredOption("--app <id>", "the app", plainId)
    .requiredOption("--id <frame>", "the frame; default serves requests that name none", plainId)
    .requiredOption("--recommended <n>", "complementary products at most, 0 to 100", wholeNumber(0, 100))
    .requiredOption("--alternative <n>", "similar products at most, 0 to 100", wholeNumber(0, 100))
    .option("--include-viewed", "show current and viewed products too")
    .option("--include-bought", "show bought products too")
    .option("--diversity <n>", "how unlike each other the recommended products are to be, 0 to 1", share, 0)
    .option("--title <title>", "a title for people")
    .addHelpText(
      "after",
      "\nExample:\n  $ aisle frame set --app shop1 --id cart-page --recommended 8 --alternative 0 --include-viewed",
    )
    .action((options: SetOptions) => setFrame(options, deps));
  withServer(frame.command("list"))
    .description("list the frames of an app")
    .requiredOption("--app <id>", "the app", plainId)
    .option("--json", "print the frames as JSON")
    .addHelpText("after", "\nExample:\n  $ aisle frame list --app shop1")
    .action((options: ListOptions) => listFrames(options, deps));
}

async function setFrame(options: SetOptions, deps: ProgramDeps): Promise<void> {
  await withClients(options, deps, ({ apps }) =>
    apps.setFrameConfiguration(
      {
        appId: options.app,
        frameConfiguration: {
          frameId: options.id,
          title: options.title ?? "",
          recommendedCount: options.recommended,
          alternativeCount: options.alternative,
          includeViewed: options.includeViewed ?? false,
          includeBought: options.includeBought ?? false,
          diversity: options.diversity,
        },
      },
      { timeoutMs: CALL_TIMEOUT_MS },
    ),
  );
  const { recommended, alternative } = options;
  writeLine(
    deps.stdout,
    `Frame ${options.id} shows ${recommended} recommended and ${alternative} alternative products`,
  );
}

async function listFrames(options: ListOptions, deps: ProgramDeps): Promise<void> {
  const all = await withClients(options, deps, ({ apps }) =>
    allPages(async (pageToken) => {
      const request = { appId: options.app, pageSize: 1000, pageToken };
      const page = await apps.listFrameConfigurations(request, { timeoutMs: CALL_TIMEOUT_MS });
      return { items: page.frameConfigurations, nextPageToken: page.nextPageToken };
    }),
  );
  if (options.json) {
    writeJson(
      deps.stdout,
      all.map((frame) => toJson(FrameConfigurationSchema, frame)),
    );
    return;
  }
  const yes = (value: boolean) => (value ? "yes" : "no");
  writeTable(
    deps.stdout,
    [
      { title: "id" },
      { title: "recommended", align: "right" },
      { title: "alternative", align: "right" },
      { title: "viewed too" },
      { title: "bought too" },
      { title: "diversity", align: "right" },
      { title: "title" },
    ],
    all.map((frame) => [
      frame.frameId,
      String(frame.recommendedCount),
      String(frame.alternativeCount),
      yes(frame.includeViewed),
      yes(frame.includeBought),
      String(frame.diversity),
      printable(frame.title),
    ]),
  );
}
