import { setImmediate } from "node:timers/promises";
import { create, type DescMessage, type MessageInitShape, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { ConnectError, type HandlerContext } from "@connectrpc/connect";
import type { Now } from "../domain/clock.js";
import { check, checkAll } from "../domain/errors.js";
import { idAt } from "../domain/ids.js";
import {
  AppService,
  type ExportAppRequest,
  type ExportAppResponseSchema,
  ExportKind,
} from "../gen/aisle/v1/app_service_pb.js";
import { ContactSchema } from "../gen/aisle/v1/contact_pb.js";
import { EventSchema } from "../gen/aisle/v1/event_pb.js";
import { SubscriptionChangeSchema } from "../gen/aisle/v1/ledger_pb.js";
import { KeptOrderSchema } from "../gen/aisle/v1/personal_data_pb.js";
import { ProductSchema } from "../gen/aisle/v1/product_pb.js";
import { VisitorSchema } from "../gen/aisle/v1/visitor_pb.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { CopiedRecords, CopiedTable, Copies } from "../store/ports/copies.js";
import { endOfWatch } from "./calls/draining.js";
import { msOf } from "./common-messages.js";
import { eventMessage } from "./event-messages.js";
import { orderMessage } from "./order-messages.js";
import { productMessages } from "./product-messages.js";
import { requireApp } from "./require-app.js";
import { changeMessage, contactMessage, visitorMessage } from "./subscription-messages.js";
import { type Tokens, tokensOf } from "./tokens.js";

/** Records of one message together. A large message would wait for a slow reader in memory. */
const BATCH_BYTES = 2 ** 20;
/** Rows of the first read; their sizes say how many the next one takes. */
const FIRST_READ = 100;
const MAX_READ = 1000;

export interface ExportDependencies {
  readonly apps: Pick<AppStore, "get">;
  readonly copies: Pick<Copies, "scan">;
  /** Whether any product of the app has a title: then untitled ones are not shown. */
  readonly hasTitles: (appId: string) => Promise<boolean>;
  readonly now: Now;
}

type Records = MessageInitShape<typeof ExportAppResponseSchema>;

/** Records of one kind, and the key of the last one. */
interface Batch {
  readonly records: Records;
  readonly last: string;
}

/** Reads the records of a kind whose keys are greater than `after`. `goOn` is called before each read of the store. */
type ReadKind = (after: string, goOn: () => Promise<void>) => AsyncGenerator<Batch>;

/** Sends the records of an app, page by page: between two reads nothing of the store is held. */
export async function* exportApp(
  deps: ExportDependencies,
  request: ExportAppRequest,
  context: Pick<HandlerContext, "signal" | "values">,
): AsyncGenerator<Records> {
  const { appId } = await requireApp(deps.apps, request.appId);
  const kinds = kindsOf(request);
  const whole: ExportAppRequest = { ...request, resumeToken: "" };
  const tokens = tokensOf("resume_token", AppService.method.exportApp, whole);
  const begin = readToken(request.resumeToken, tokens);
  const ended = endOfWatch(context);
  const goOn = async () => {
    if (ended.aborted) throw ConnectError.from(ended.reason);
    await requireApp(deps.apps, appId);
  };
  const readers = readersOf(deps, request);
  for (const kind of kinds) {
    if (kind < begin.kind) continue;
    const after = kind === begin.kind ? begin.after : "";
    for await (const { records, last } of readers[kind](after, goOn))
      yield { ...records, kind, resumeToken: tokens.seal(`${kind} ${last}`) };
  }
}

type Kind = Exclude<ExportKind, ExportKind.UNSPECIFIED>;

/** In the order in which they are sent. */
const KINDS: readonly Kind[] = [
  ExportKind.PRODUCTS,
  ExportKind.CONTACTS,
  ExportKind.SUBSCRIPTION_CHANGES,
  ExportKind.VISITORS,
  ExportKind.ORDERS,
  ExportKind.EVENTS,
];

function kindsOf({ kinds, startTime, endTime }: ExportAppRequest): readonly Kind[] {
  const known = new Set<ExportKind>(KINDS);
  const [start, end] = [msOf(startTime), msOf(endTime)];
  checkAll(
    check(
      kinds.every((kind) => known.has(kind)),
      "kinds",
      "invalid",
      "values of ExportKind",
    ),
    check(start === null || end === null || start < end, "end_time", "invalid", "a time after start_time"),
  );
  return kinds.length === 0 ? KINDS : KINDS.filter((kind) => kinds.includes(kind));
}

function readersOf(deps: ExportDependencies, request: ExportAppRequest): Readonly<Record<Kind, ReadKind>> {
  const { appId, startTime, endTime } = request;
  const reader = <N extends CopiedTable, S extends DescMessage>(table: Table<N, S>) => readTable(deps, appId, table);
  return {
    [ExportKind.PRODUCTS]: reader({
      table: "products",
      schema: ProductSchema,
      message: productMessages(deps, appId),
      records: (products) => ({ products }),
    }),
    [ExportKind.CONTACTS]: reader({
      table: "contacts",
      schema: ContactSchema,
      message: contactMessage,
      records: (contacts) => ({ contacts }),
    }),
    [ExportKind.SUBSCRIPTION_CHANGES]: reader({
      table: "changes",
      schema: SubscriptionChangeSchema,
      message: changeMessage,
      records: (subscriptionChanges) => ({ subscriptionChanges }),
    }),
    [ExportKind.VISITORS]: reader({
      table: "visitors",
      schema: VisitorSchema,
      message: visitorMessage,
      records: (visitors) => ({ visitors }),
    }),
    [ExportKind.ORDERS]: reader({
      table: "orders",
      schema: KeptOrderSchema,
      message: orderMessage,
      records: (orders) => ({ orders }),
    }),
    [ExportKind.EVENTS]: reader({
      table: "events",
      schema: EventSchema,
      message: eventMessage,
      records: (events) => ({ events }),
      from: startTime && idAt(msOf(startTime) ?? 0),
      until: endTime && idAt(msOf(endTime) ?? 0),
    }),
  };
}

interface Table<N extends CopiedTable, S extends DescMessage> {
  readonly table: N;
  readonly schema: S;
  readonly message: (value: CopiedRecords[N]) => MessageInitShape<S> | Promise<MessageInitShape<S>>;
  /** The list of an answer that has these records. */
  readonly records: (items: MessageShape<S>[]) => Records;
  /** Only rows with keys greater than `from`, and less than `until`. */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

function readTable<N extends CopiedTable, S extends DescMessage>(
  { copies }: Pick<ExportDependencies, "copies">,
  appId: string,
  { table, schema, message, records, from = "", until }: Table<N, S>,
): ReadKind {
  return async function* (begin, goOn) {
    let items: MessageShape<S>[] = [];
    let bytes = 0;
    let last = begin || from;
    for (let limit = FIRST_READ, isMore = true; isMore; await setImmediate()) {
      await goOn();
      const rows = await copies.scan(appId, table, last, limit);
      isMore = rows.length === limit;
      let read = 0;
      for (const { key, value } of rows) {
        if (until !== undefined && key >= until) {
          isMore = false;
          break;
        }
        const item = create(schema, await message(value));
        const size = toBinary(schema, item).byteLength;
        if (items.length > 0 && bytes + size > BATCH_BYTES) {
          yield { records: records(items), last };
          items = [];
          bytes = 0;
        }
        items.push(item);
        last = key;
        bytes += size;
        read += size;
      }
      limit = Math.min(MAX_READ, Math.max(1, Math.floor((BATCH_BYTES * rows.length) / Math.max(1, read))));
    }
    if (items.length > 0) yield { records: records(items), last };
  };
}

/** The place after which a token continues. */
function readToken(token: string, tokens: Tokens): { readonly kind: number; readonly after: string } {
  if (token === "") return { kind: 0, after: "" };
  const place = tokens.open(token);
  const border = place.indexOf(" ");
  return { kind: Number(place.slice(0, border)), after: place.slice(border + 1) };
}
