import { type MessageInitShape, toJson } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { type Event, EventSchema } from "../gen/aisle/v1/event_pb.js";
import type { WatchEventsRequestSchema } from "../gen/aisle/v1/event_service_pb.js";
import { isPassing } from "./call-errors.js";
import { CALL_TIMEOUT_MS, type Clients, type ServerOptions, withClients, withServer } from "./client.js";
import { eventText } from "./event-text.js";
import { plainId, wholeNumber } from "./option-values.js";
import { type Output, writeLine } from "./output.js";
import type { ProgramDeps } from "./program.js";
import { addRejectedEventCommands } from "./rejected-events-command.js";

interface TailOptions extends ServerOptions {
  readonly app: string;
  readonly limit: number;
  readonly follow?: boolean;
  readonly visitor?: string;
  readonly showPersonal?: boolean;
  readonly json?: boolean;
}

/** Time between a stream that broke off and the next one. */
const RESUME_AFTER_MS = 1000;

export function defineEvents(events: Command, deps: ProgramDeps): void {
  withServer(events.command("tail"))
    .description("show the newest events as Aisle read them, with notes on what had no effect")
    .requiredOption("--app <id>", "the app", plainId)
    .option("--limit <n>", "number of past events to show first, 0 to 1000", wholeNumber(0, 1000), 20)
    .option("--follow", "follow new events until Ctrl-C")
    .option("--visitor <id>", "only events of this visitor: client id, fingerprint id or user id")
    .option("--show-personal", "show e-mail addresses, names and searches in full")
    .option("--json", "print one JSON object a line, personal data included")
    .addHelpText("after", "\nExample:\n  $ aisle events tail --app shop1 --follow")
    .action((options: TailOptions) => tail(options, deps));
  addRejectedEventCommands(events, deps);
}

async function tail(options: TailOptions, deps: ProgramDeps): Promise<void> {
  await withClients(options, deps, async ({ events }) => {
    if (options.follow) return follow(events, options, deps);
    const found = options.limit === 0 ? [] : await newest(events, options);
    for (const event of found) writeEvent(deps.stdout, event, options);
    if (found.length === 0) writeLine(deps.stderr, "No events yet");
  });
}

/** Watches events until the output is closed. A stream that breaks off is resumed where it ended. */
async function follow(events: Clients["events"], options: TailOptions, { stdout, signal, sleep }: ProgramDeps) {
  let resumeToken = "";
  while (!stdout.destroyed) {
    try {
      const request: MessageInitShape<typeof WatchEventsRequestSchema> = {
        appId: options.app,
        ...visitorOf(options),
        start: { case: "pastEventCount", value: options.limit },
        resumeToken,
      };
      for await (const message of events.watchEvents(request, signal && { signal })) {
        for (const event of message.events) writeEvent(stdout, event, options);
        resumeToken = message.resumeToken;
        if (stdout.destroyed) return;
      }
    } catch (error) {
      if (resumeToken === "" || !isPassing(error)) throw error;
    }
    await sleep(RESUME_AFTER_MS, signal);
  }
}

function visitorOf({ visitor: id }: TailOptions) {
  return id === undefined ? {} : { visitor: { clientId: id, fingerprintId: id, userId: id } };
}

/** The newest events, oldest of them first. */
async function newest(events: Clients["events"], options: TailOptions): Promise<Event[]> {
  const found: Event[] = [];
  let pageToken = "";
  do {
    const request = { appId: options.app, newestFirst: true, pageSize: options.limit, pageToken };
    const page = await events.listEvents({ ...request, ...visitorOf(options) }, { timeoutMs: CALL_TIMEOUT_MS });
    found.push(...page.events);
    pageToken = page.nextPageToken;
  } while (pageToken !== "" && found.length < options.limit);
  return found.slice(0, options.limit).reverse();
}

function writeEvent(output: Output, event: Event, options: TailOptions): void {
  if (options.json) writeLine(output, JSON.stringify(toJson(EventSchema, event)));
  else writeLine(output, eventText(event, options.showPersonal ?? false));
}
