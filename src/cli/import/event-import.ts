import type { Row } from "../../catalog/feed/rows.js";
import type { Event } from "../../gen/aisle/v1/event_pb.js";
import { canAsk, confirm } from "../ask.js";
import { BULK_TIMEOUT_MS, type Clients } from "../client.js";
import type { CommandDeps } from "../deps.js";
import { UsageFailure } from "../errors.js";
import { eventFields, type PresetName } from "./event-presets.js";
import { continueOrder, type EventField, isAddress, KNOWN_TYPES, readEvent } from "./event-row.js";
import { type ImportOptions, importFile, remark } from "./jobs.js";
import { createEventAssembler } from "./orders.js";
import type { ItemMaker } from "./run.js";
import type { BulkCall } from "./sender.js";
import type { Remarks } from "./totals.js";

export interface EventImportOptions extends ImportOptions {
  readonly type?: string;
  readonly preset?: PresetName;
  readonly visitorIs?: VisitorMeaning;
  readonly idempotent?: boolean;
}

/** What the column `visitor` holds. */
export const VISITOR_MEANINGS = ["id", "email"] as const;

type VisitorMeaning = (typeof VISITOR_MEANINGS)[number];

export async function importEvents(file: string, options: EventImportOptions, deps: CommandDeps): Promise<void> {
  try {
    await importEventFile(file, options, deps);
  } catch (error) {
    if (!(error instanceof AddressAsVisitor)) throw error;
    if (file === "-" || !canAsk(deps)) throw error;
    const email = await confirm(deps, "The column visitor holds e-mail addresses. Import them as email?");
    await importEventFile(file, { ...options, visitorIs: email ? "email" : "id" }, deps);
  }
}

async function importEventFile(file: string, options: EventImportOptions, deps: CommandDeps): Promise<void> {
  const remarks: Remarks = { counts: new Map() };
  const { currency = "", map = [], idempotent = false, preset, visitorIs } = options;
  const { fields, type } = eventFields(preset, options.type ?? "");
  await importFile(file, options, deps, {
    noun: "events",
    fields,
    remarks,
    maker: createEventMaker({ type, currency, visitorIs }, deps.now, remarks),
    call: ({ events }) => eventCall(events, options.app),
    repeatable: idempotent,
    keySeed: idempotent ? JSON.stringify([1, type, currency, [...map].sort()]) : null,
  });
}

/** The first line names an e-mail address as its visitor, and nobody said whether that is meant. Nothing was stored. */
class AddressAsVisitor extends UsageFailure {
  constructor() {
    super(
      "visitor: holds e-mail addresses; --visitor-is email imports them as email, --visitor-is id as they are, as ids",
    );
  }
}

function createEventMaker(
  { type, currency, visitorIs }: { type: string; currency: string; visitorIs: VisitorMeaning | undefined },
  now: () => number,
  remarks: Remarks,
): ItemMaker<EventField, Event> {
  const assembler = createEventAssembler();
  const visitorIsEmail = visitorIs === "email";
  let before: Row<EventField> | null = null;
  let isFirst = true;
  return {
    push(given, key) {
      const row = continueOrder(given, before);
      before = row; // also a line that is rejected says whose order it is
      const options = { defaultType: type, defaultCurrency: currency, nowMs: now(), visitorIsEmail };
      const line = readEvent(row, options);
      if (visitorIs === undefined && isAddress(line.visitor)) {
        if (isFirst) throw new AddressAsVisitor();
        remark(remarks, "a visitor that is an e-mail address, stored as an id (--visitor-is email)");
      }
      isFirst = false;
      if (!KNOWN_TYPES.includes(line.type)) remark(remarks, "lines of a type that training ignores");
      if (line.occurredAtMs === null) remark(remarks, "lines without a timestamp, stored with the time of import");
      return assembler.push(line, { line: row.line, raw: row.raw }, key);
    },
    end: () => assembler.end(),
  };
}

function eventCall(events: Clients["events"], appId: string): BulkCall<Event> {
  return async (batches) => {
    async function* messages() {
      for (const batch of batches) {
        const idempotencyKeys = batch.map((item) => item.key).filter((key) => key !== "");
        yield { appId, events: batch.map((item) => item.message), idempotencyKeys };
      }
    }
    return events.recordEvents(messages(), { timeoutMs: BULK_TIMEOUT_MS });
  };
}
