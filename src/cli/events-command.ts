import { toJson } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { type Event, EventSchema } from "../gen/aisle/v1/event_pb.js";
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

/** Poll interval of `--follow`, in milliseconds. */
const LOOK_EVERY_MS = 1000;
/** An event may become visible a little after one with a greater id; each poll looks back this far, in milliseconds. */
const LOOK_BACK_MS = 3000;

export function addEventsCommand(program: Command, deps: ProgramDeps): void {
  const events = program.command("events").description("show the events of an app");
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
  const { stdout, signal } = deps;
  await withClients(options, deps, async ({ events }) => {
    const newest = createNewest(events, options);
    const seen = new Set<string>();
    const show = (found: readonly Event[]) => {
      for (const event of found) {
        if (!seen.has(event.eventId)) writeEvent(stdout, event, options);
      }
      const last = found.at(-1);
      if (last) {
        const oldest = idMs(last.eventId) - LOOK_BACK_MS;
        for (const { eventId } of found) seen.add(eventId);
        for (const id of seen) if (idMs(id) < oldest) seen.delete(id);
      }
    };

    // With --limit 0 still read one event: events after it are new.
    const first = await newest(Math.max(1, options.limit), null);
    if (options.limit > 0) show(first);
    else for (const { eventId } of first) seen.add(eventId);
    if (!options.follow) {
      if (first.length === 0) writeLine(deps.stderr, "No events yet");
      return;
    }

    let lastMs = idMs(first.at(-1)?.eventId ?? "");
    while (!stdout.destroyed) {
      await deps.sleep(LOOK_EVERY_MS, signal);
      const found = await newest(null, lastMs - LOOK_BACK_MS);
      show(found.filter(({ eventId }) => idMs(eventId) >= lastMs - LOOK_BACK_MS && !wasBefore(first, eventId)));
      lastMs = Math.max(lastMs, idMs(found.at(-1)?.eventId ?? ""));
    }
  });
}

/** True for events older than the first ones shown: the look back must not show those. */
function wasBefore(first: readonly Event[], eventId: string): boolean {
  const oldest = first[0]?.eventId;
  return oldest !== undefined && eventId < oldest;
}

/**
 * Reads newest first and returns oldest first: `limit` events, or all whose id is of `sinceMs` or later. Ids begin with
 * the time of intake (UUIDv7), so only new events are read.
 */
function createNewest(events: Clients["events"], options: TailOptions) {
  const id = options.visitor;
  const visitor = id === undefined ? {} : { visitor: { clientId: id, fingerprintId: id, userId: id } };
  return async (limit: number | null, sinceMs: number | null): Promise<Event[]> => {
    const found: Event[] = [];
    let pageToken = "";
    do {
      const page = await events.listEvents(
        { appId: options.app, newestFirst: true, pageSize: limit ?? 200, pageToken, ...visitor },
        { timeoutMs: CALL_TIMEOUT_MS },
      );
      found.push(...page.events);
      pageToken = page.nextPageToken;
      const last = page.events.at(-1);
      if (!last || (limit !== null && found.length >= limit)) break;
      if (sinceMs !== null && idMs(last.eventId) < sinceMs) break;
    } while (pageToken !== "");
    return (limit === null ? found : found.slice(0, limit)).reverse();
  };
}

/** Milliseconds since 1970 in a UUIDv7, 0 for other text. */
function idMs(eventId: string): number {
  const hex = eventId.replace("-", "").slice(0, 12);
  return /^[0-9a-f]{12}$/i.test(hex) ? Number.parseInt(hex, 16) : 0;
}

function writeEvent(output: Output, event: Event, options: TailOptions): void {
  if (options.json) writeLine(output, JSON.stringify(toJson(EventSchema, event)));
  else writeLine(output, eventText(event, options.showPersonal ?? false));
}
