import { create, toJson } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { ListFrameVersionsResponseSchema } from "../gen/aisle/v1/app_service_pb.js";
import type { FrameVersion } from "../gen/aisle/v1/frame_configuration_pb.js";
import {
  allPages,
  CALL_TIMEOUT_MS,
  type Clients,
  type ServerOptions,
  withClients,
  withDryRun,
  withServer,
} from "./client.js";
import { Failure } from "./errors.js";
import { frameLines } from "./frame-values.js";
import { plainId, wholeNumber } from "./option-values.js";
import { printable, writeJson, writeLine, writeTable } from "./output.js";
import type { ProgramDeps } from "./program.js";
import { timeText } from "./times.js";

const call = { timeoutMs: CALL_TIMEOUT_MS };

interface HistoryOptions extends ServerOptions {
  readonly app: string;
  readonly id: string;
  readonly json?: boolean;
}

interface RollbackOptions extends HistoryOptions {
  readonly to: number;
}

/** Versions of a frame. */
export function addFrameHistoryCommands(frame: Command, deps: ProgramDeps): void {
  withServer(frame.command("history"))
    .description("list the last 100 versions of a frame, newest first")
    .requiredOption("--app <id>", "the app", plainId)
    .requiredOption("--id <frame>", "the frame", plainId)
    .option("--json", "print the versions as JSON")
    .addHelpText("after", "\nExample:\n  $ aisle frame history --app shop1 --id cart-page")
    .action((options: HistoryOptions) => showHistory(options, deps));
  withDryRun(withServer(frame.command("rollback")))
    .description("restore an earlier version of a frame as a new version")
    .requiredOption("--app <id>", "the app", plainId)
    .requiredOption("--id <frame>", "the frame", plainId)
    .requiredOption("--to <version>", "the number of the version", wholeNumber(1, 999_999_999))
    .addHelpText("after", "\nExample:\n  $ aisle frame rollback --app shop1 --id cart-page --to 3")
    .action((options: RollbackOptions) => rollBack(options, deps));
}

async function showHistory(options: HistoryOptions, deps: ProgramDeps): Promise<void> {
  const versions = await withClients(options, deps, (clients) => versionsOf(clients, options));
  if (options.json) {
    writeJson(
      deps.stdout,
      toJson(ListFrameVersionsResponseSchema, create(ListFrameVersionsResponseSchema, { versions })),
    );
    return;
  }
  writeTable(
    deps.stdout,
    [{ title: "version", align: "right" }, { title: "written" }, { title: "what" }],
    versions.map((version, i) => [
      String(version.frameConfiguration?.version ?? 0),
      timeText(version.frameConfiguration?.updateTime),
      changesText(version, versions[i + 1]),
    ]),
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

async function rollBack(options: RollbackOptions, deps: ProgramDeps): Promise<void> {
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
    return clients.apps.setFrameConfiguration(request, call);
  });
  const version = written.frameConfiguration?.version ?? 0;
  writeLine(deps.stdout, `Frame ${options.id} is as in version ${options.to} again: version ${version}`);
}

function versionsOf({ apps }: Clients, { app, id }: HistoryOptions): Promise<FrameVersion[]> {
  return allPages(async (pageToken) => {
    const page = await apps.listFrameVersions({ appId: app, frameId: id, pageSize: 1000, pageToken }, call);
    return { items: page.versions, nextPageToken: page.nextPageToken };
  });
}
