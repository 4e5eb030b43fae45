import { readFile } from "node:fs/promises";
import { fromJsonString, toJson } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { type Event, EventSchema } from "../gen/aisle/v1/event_pb.js";
import { ReplayRejectedEventsResponseSchema } from "../gen/aisle/v1/event_service_pb.js";
import { type RejectedEvent, RejectedEventSchema } from "../gen/aisle/v1/rejected_event_pb.js";
import {
  BULK_TIMEOUT_MS,
  CALL_TIMEOUT_MS,
  type Clients,
  type ServerOptions,
  withClients,
  withDryRun,
  withServer,
  withTryingClients,
} from "./client.js";
import { Failure, UsageFailure } from "./errors.js";
import { eventText } from "./event-text.js";
import { plainId, repeated, wholeNumber } from "./option-values.js";
import { printable, writeJson, writeLine } from "./output.js";
import type { ProgramDeps } from "./program.js";
import { timeText } from "./times.js";

interface RejectedOptions extends ServerOptions {
  readonly app: string;
  readonly limit: number;
  readonly replayed?: boolean;
  readonly showPersonal?: boolean;
  readonly json?: boolean;
}

interface ReplayOptions extends ServerOptions {
  readonly app: string;
  readonly id?: readonly string[];
  readonly event?: string;
  readonly json?: boolean;
}

export function addRejectedEventCommands(events: Command, deps: ProgramDeps): void {
  withServer(events.command("rejected"))
    .description("show rejected events and the reasons")
    .requiredOption("--app <id>", "the app", plainId)
    .option("--limit <n>", "maximum number of events, newest first, 1 to 1000", wholeNumber(1, 1000), 100)
    .option("--replayed", "include events that were replayed")
    .option("--show-personal", "show e-mail addresses, names and searches in full")
    .option("--json", "print one JSON object a line, personal data included")
    .addHelpText("after", "\nExample:\n  $ aisle events rejected --app shop1")
    .action((options: RejectedOptions) => rejected(options, deps));
  withDryRun(withServer(events.command("replay")))
    .description("record rejected events; no event is recorded twice")
    .requiredOption("--app <id>", "the app", plainId)
    .option("--id <id>", "only this event; repeatable (default: all)", repeated)
    .option("--event <file>", 'corrected event to record for the one --id, as "events rejected --json" prints it')
    .option("--json", "print the outcome as JSON")
    .addHelpText(
      "after",
      `
Exits with 1 if an event was rejected again; it stays in the log.

Example:
  $ aisle events replay --app shop1 --id 17 --event corrected.json`,
    )
    .action((options: ReplayOptions) => replay(options, deps));
}

async function rejected(options: RejectedOptions, deps: ProgramDeps): Promise<void> {
  const { stdout, stderr } = deps;
  await withClients(options, deps, async ({ events }) => {
    const found = await newest(events, options);
    for (const one of found.reverse()) {
      writeLine(
        stdout,
        options.json
          ? JSON.stringify(toJson(RejectedEventSchema, one))
          : rejectedText(one, options.showPersonal ?? false),
      );
    }
    if (found.length === 0) writeLine(stderr, "No rejected events");
  });
}

async function newest(events: Clients["events"], options: RejectedOptions): Promise<RejectedEvent[]> {
  const found: RejectedEvent[] = [];
  let pageToken = "";
  do {
    const page = await events.listRejectedEvents(
      { appId: options.app, pageSize: 200, pageToken },
      { timeoutMs: CALL_TIMEOUT_MS },
    );
    for (const one of page.rejectedEvents) if (options.replayed || one.replayedEventId === "") found.push(one);
    pageToken = page.nextPageToken;
  } while (pageToken !== "" && found.length < options.limit);
  return found.slice(0, options.limit);
}

function rejectedText(one: RejectedEvent, showPersonal: boolean): string {
  const head = [
    one.rejectedEventId.replace(/^0+(?=\d)/, ""),
    timeText(one.rejectTime),
    `${printable(one.field)} ${printable(one.reason)}`,
    ...(one.replayedEventId === "" ? [] : [`replayed as ${one.replayedEventId}`]),
  ];
  return [head.join("  "), ...(one.event ? [`    ${eventText(one.event, showPersonal)}`] : [])].join("\n");
}

async function replay(options: ReplayOptions, deps: ProgramDeps): Promise<void> {
  const ids = (options.id ?? []).map((id) => id.padStart(ID_DIGITS, "0"));
  if (options.event !== undefined && ids.length !== 1) throw new UsageFailure("--event: with exactly one --id");
  const correctedEvent = options.event === undefined ? undefined : await readEvent(options.event);
  const refused = await withTryingClients(options, deps, async ({ events }) => {
    const answer = await events.replayRejectedEvents(
      { appId: options.app, rejectedEventIds: ids, ...(correctedEvent && { correctedEvent }) },
      { timeoutMs: BULK_TIMEOUT_MS },
    );
    if (options.json) writeJson(deps.stdout, toJson(ReplayRejectedEventsResponseSchema, answer));
    else {
      for (const { rejectedEventId, eventId, deduplicated } of answer.replayed)
        writeLine(deps.stdout, replayedText(rejectedEventId, eventId, deduplicated));
      for (const { rejectedEventId, field, reason } of answer.refused)
        writeLine(deps.stdout, `${rejectedEventId} was rejected: ${printable(field)} ${printable(reason)}`);
      if (answer.replayed.length + answer.refused.length === 0) writeLine(deps.stderr, "No rejected events");
    }
    return answer.refused.length;
  });
  if (refused > 0) throw new Failure(`${refused} of the events could not be recorded`);
}

/** A dry run answers no id for an event that it would record. */
function replayedText(rejectedEventId: string, eventId: string, deduplicated: boolean): string {
  if (eventId === "") return `${rejectedEventId} would be recorded`;
  return `${rejectedEventId} is event ${eventId}${deduplicated ? ", recorded before" : ""}`;
}

/** Ids are shown without their zeros. */
const ID_DIGITS = 12;

async function readEvent(file: string): Promise<Event> {
  const text = await readFile(file, "utf8").catch(() => {
    throw new UsageFailure("--event: the file cannot be read");
  });
  try {
    return fromJsonString(EventSchema, text);
  } catch {
    throw new UsageFailure("--event: the file holds no event as events rejected --json prints it");
  }
}
