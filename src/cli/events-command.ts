import { readFile } from "node:fs/promises";
import { fromJsonString, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { type Event, EventSchema, SenderType } from "../gen/aisle/v1/event_pb.js";
import { ReplayRejectedEventsResponseSchema, type WatchEventsRequestSchema } from "../gen/aisle/v1/event_service_pb.js";
import { type RejectedEvent, RejectedEventSchema } from "../gen/aisle/v1/rejected_event_pb.js";
import { isPassing } from "./call-errors.js";
import {
  type AppOptions,
  appCommand,
  BULK_TIMEOUT_MS,
  CALL,
  type Clients,
  withClients,
  withDryRun,
  withServer,
  withTryingClients,
} from "./client.js";
import type { CommandDeps } from "./deps.js";
import { Failure, UsageFailure } from "./errors.js";
import { allPages } from "./list.js";
import { timeText } from "./message-values.js";
import { plainId, repeated, wholeNumber } from "./option-values.js";
import { type Output, printable, writeJson, writeLine } from "./output.js";

interface TailOptions extends AppOptions {
  readonly limit: number;
  readonly follow?: boolean;
  readonly visitor?: string;
  readonly showPersonal?: boolean;
}

/** Time between a stream that broke off and the next one. */
const RESUME_AFTER_MS = 1000;

export function define(events: Command, deps: CommandDeps): void {
  appCommand(events, "tail", "show the newest events as Aisle read them, with notes on what had no effect")
    .option("--limit <n>", "number of past events to show first, 0 to 1000", wholeNumber(0, 1000), 20)
    .option("--follow", "follow new events until Ctrl-C")
    .option("--visitor <id>", "only events of this visitor: client id, fingerprint id or user id")
    .option("--show-personal", "show e-mail addresses, names and searches in full")
    .option("--json", "print one JSON object a line, personal data included")
    .addHelpText("after", "\nExample:\n  $ aisle events tail --app shop1 --follow")
    .action((options: TailOptions) => tail(options, deps));
  addRejectedEventCommands(events, deps);
}

async function tail(options: TailOptions, deps: CommandDeps): Promise<void> {
  await withClients(options, deps, async ({ events }) => {
    if (options.follow) return follow(events, options, deps);
    const found = options.limit === 0 ? [] : await newest(events, options);
    for (const event of found) writeEvent(deps.stdout, event, options);
    if (found.length === 0) writeLine(deps.stderr, "No events yet");
  });
}

/** Watches events until the output is closed. A stream that breaks off is resumed where it ended. */
async function follow(events: Clients["events"], options: TailOptions, { stdout, signal, sleep }: CommandDeps) {
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
  const request = { appId: options.app, newestFirst: true, pageSize: options.limit, ...visitorOf(options) };
  const found = await allPages(
    (pageToken) => events.listEvents({ ...request, pageToken }, CALL),
    (page) => page.events,
    options.limit,
  );
  return found.reverse();
}

function writeEvent(output: Output, event: Event, options: TailOptions): void {
  if (options.json) writeLine(output, JSON.stringify(toJson(EventSchema, event)));
  else writeLine(output, eventText(event, options.showPersonal ?? false));
}

interface RejectedOptions extends AppOptions {
  readonly limit: number;
  readonly replayed?: boolean;
  readonly showPersonal?: boolean;
}

interface ReplayOptions extends AppOptions {
  readonly id?: readonly string[];
  readonly event?: string;
}

export function addRejectedEventCommands(events: Command, deps: CommandDeps): void {
  appCommand(events, "rejected", "show rejected events and the reasons")
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

async function rejected(options: RejectedOptions, deps: CommandDeps): Promise<void> {
  const { stdout, stderr } = deps;
  await withClients(options, deps, async ({ events }) => {
    const found = await newestRejected(events, options);
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

function newestRejected(events: Clients["events"], options: RejectedOptions): Promise<RejectedEvent[]> {
  return allPages(
    (pageToken) => events.listRejectedEvents({ appId: options.app, pageSize: 200, pageToken }, CALL),
    (page) => page.rejectedEvents.filter(({ replayedEventId }) => options.replayed || replayedEventId === ""),
    options.limit,
  );
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

async function replay(options: ReplayOptions, deps: CommandDeps): Promise<void> {
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

/** Maximum products named of an event; the rest is a number. */
const SHOWN_PRODUCTS = 10;

/** An event as Aisle understood it: one line, then one for each value without effect. */
export function eventText(event: Event, showPersonal: boolean): string {
  const parts = [
    timeText(event.eventTime) || timeText(event.receiveTime),
    printable(event.actionType),
    ...visitorParts(event),
    ...productParts(event),
    ...orderParts(event),
    ...contactParts(event, showPersonal),
    ...(event.searchQuery ? [`search=${showPersonal ? JSON.stringify(printable(event.searchQuery)) : "***"}`] : []),
    ...(event.senderType === SenderType.SERVER ? ["sender=server"] : []),
    ...(event.bot ? ["bot"] : []),
    event.eventId && `id=${event.eventId}`,
  ];
  return [
    parts.filter((part) => part !== "").join("  "),
    ...event.notes.map((note) => `    no effect: ${printable(note)}`),
  ].join("\n");
}

function visitorParts({ visitor }: Event): string[] {
  const named = (name: string, id: string | undefined) => (id ? [`${name}=${printable(id)}`] : []);
  return [
    ...named("c_id", visitor?.clientId),
    ...named("fp_ccid", visitor?.fingerprintId),
    ...named("user_id", visitor?.userId),
  ];
}

function productParts({ products, categories }: Event): string[] {
  const items = products.slice(0, SHOWN_PRODUCTS).map((product) => {
    const id = printable(product.productId || product.sku);
    const price = product.price?.amount ? ` at ${printable(`${product.price.amount} ${product.price.currency}`)}` : "";
    return `${product.quantity > 1 ? `${product.quantity} x ` : ""}${id}${price}`;
  });
  if (products.length > SHOWN_PRODUCTS) items.push(`${products.length - SHOWN_PRODUCTS} more`);
  const path = categories.map((category) => printable(category.name || category.categoryId));
  return [
    ...(items.length > 0 ? [`products=[${items.join(", ")}]`] : []),
    ...(path.length > 0 ? [`category=${path.join(" > ")}`] : []),
  ];
}

function orderParts({ order }: Event): string[] {
  if (!order) return [];
  const payment = order.payment?.amount
    ? ` paid ${printable(`${order.payment.amount} ${order.payment.currency}`)}`
    : "";
  const status = order.status ? ` (${printable(order.status)})` : "";
  return [`order=${printable(order.orderId)}${status}${payment}`];
}

function contactParts({ contact }: Event, showPersonal: boolean): string[] {
  if (!contact) return [];
  const shown = (name: string, value: string, mask: (text: string) => string) =>
    value ? [`${name}=${printable(showPersonal ? value : mask(value))}`] : [];
  const hidden = () => "***";
  const flag = (name: string, value: boolean | undefined) => (value === undefined ? [] : [`${name}=${value}`]);
  return [
    ...shown("email", contact.email, maskEmail),
    ...shown("phone", contact.phone, maskPhone),
    ...shown("name", `${contact.firstName} ${contact.lastName}`.trim(), hidden),
    ...shown("country", contact.country, (text) => text),
    ...shown("city", contact.city, hidden),
    ...shown("gender", contact.gender, hidden),
    ...shown("birth_date", contact.birthDate, hidden),
    ...shown("tags", contact.tags.join(","), hidden),
    ...flag("newsletter", contact.emailSubscribed),
    ...flag("text_messages", contact.smsSubscribed),
  ];
}

/** `b***@example.com`; any other text is hidden completely. */
function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  return at > 0 ? `${[...email][0]}***${email.slice(at)}` : "***";
}

/** The last two digits. */
function maskPhone(phone: string): string {
  return `***${phone.replace(/\D/g, "").slice(-2)}`;
}
