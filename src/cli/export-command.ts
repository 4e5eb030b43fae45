import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type JsonValue, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type ExportAppRequestSchema, type ExportAppResponse, ExportKind } from "../gen/aisle/v1/app_service_pb.js";
import { ContactSchema } from "../gen/aisle/v1/contact_pb.js";
import { EventSchema } from "../gen/aisle/v1/event_pb.js";
import { SubscriptionChangeSchema } from "../gen/aisle/v1/ledger_pb.js";
import { KeptOrderSchema } from "../gen/aisle/v1/personal_data_pb.js";
import { ProductSchema } from "../gen/aisle/v1/product_pb.js";
import { VisitorSchema } from "../gen/aisle/v1/visitor_pb.js";
import { isPassing } from "./call-errors.js";
import { type AppOptions, type Clients, withClients, withServer } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { UsageFailure } from "./errors.js";
import { plainId } from "./option-values.js";
import { count, newFile, type Output, writeJson, writeLine } from "./output.js";

interface ExportOptions extends AppOptions {
  readonly out?: string;
  readonly kind?: string;
  readonly since?: Timestamp;
  readonly before?: Timestamp;
}

interface Kind {
  readonly name: string;
  readonly kind: ExportKind;
  readonly recordsOf: (message: ExportAppResponse) => JsonValue[];
}

/** In the order in which the server sends them. */
const KINDS: readonly Kind[] = [
  {
    name: "products",
    kind: ExportKind.PRODUCTS,
    recordsOf: ({ products }) => products.map((one) => toJson(ProductSchema, one)),
  },
  {
    name: "contacts",
    kind: ExportKind.CONTACTS,
    recordsOf: ({ contacts }) => contacts.map((one) => toJson(ContactSchema, one)),
  },
  {
    name: "subscription-changes",
    kind: ExportKind.SUBSCRIPTION_CHANGES,
    recordsOf: ({ subscriptionChanges }) => subscriptionChanges.map((one) => toJson(SubscriptionChangeSchema, one)),
  },
  {
    name: "visitors",
    kind: ExportKind.VISITORS,
    recordsOf: ({ visitors }) => visitors.map((one) => toJson(VisitorSchema, one)),
  },
  {
    name: "orders",
    kind: ExportKind.ORDERS,
    recordsOf: ({ orders }) => orders.map((one) => toJson(KeptOrderSchema, one)),
  },
  {
    name: "events",
    kind: ExportKind.EVENTS,
    recordsOf: ({ events }) => events.map((one) => toJson(EventSchema, one)),
  },
];

/** Time between a stream that broke off and the next one. */
const RESUME_AFTER_MS = 1000;
/** Streams in a row that broke off before they sent anything. */
const MAX_FAILURES = 30;

export function define(command: Command, deps: CommandDeps): void {
  withServer(command)
    .requiredOption("--app <id>", "the app", plainId)
    .option("--out <dir>", "write one file for each kind into this directory")
    .addOption(
      new Option("--kind <kind>", "only records of this kind, to stdout without --out").choices(
        KINDS.map(({ name }) => name),
      ),
    )
    .option("--json", "print the counts as JSON; records are JSON lines in any case")
    .option("--since <time>", "only events received at this time or later, ISO 8601, UTC by default", time)
    .option("--before <time>", "only events received before this time", time)
    .addHelpText(
      "after",
      `
A line is one record, as the RPC ExportApp sends it. The files are ${KINDS.map(({ name }) => `${name}.jsonl`).join(", ")};
existing files are never overwritten. They hold personal data; only you can read them.
When the connection breaks off, the export goes on where it ended.

Example:
  $ aisle export --app shop1 --out shop1-export
  $ aisle export --app shop1 --kind events --since 2026-11-01 --before 2026-12-01 | gzip > events.jsonl.gz`,
    )
    .action((options: ExportOptions) => exportApp(options, deps));
}

/** A day or a point in time; one without a zone is in UTC. */
function time(text: string): Timestamp {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const hasZone = /(Z|[+-]\d\d:\d\d)$/.test(text);
  const date = new Date(isDay || hasZone ? text : `${text}Z`);
  const [day = ""] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  // `Date` carries 30 February over into March.
  const exists = day !== "" && !Number.isNaN(date.getTime()) && new Date(day).toISOString().startsWith(day);
  if (!exists) throw new InvalidArgumentError("A time such as 2026-11-01 or 2026-11-01T12:00:00Z is accepted.");
  return timestampFromDate(date);
}

async function exportApp(options: ExportOptions, deps: CommandDeps): Promise<void> {
  const kinds = options.kind === undefined ? KINDS : KINDS.filter(({ name }) => name === options.kind);
  if (options.out !== undefined) return toDirectory(options.out, kinds, options, deps);
  if (options.kind === undefined)
    throw new UsageFailure("--out or --kind: a directory for all kinds, or one kind for stdout, is accepted");
  const written = await receive(kinds, options, deps, (_, lines) => flushed(deps.stdout, lines));
  writeLine(deps.stderr, written.text());
}

async function toDirectory(
  directory: string,
  kinds: readonly Kind[],
  options: ExportOptions,
  deps: CommandDeps,
): Promise<void> {
  const files = new Map<Kind, Awaited<ReturnType<typeof newFile>>>();
  const paths: string[] = [];
  let isBegun = false;
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch(() => {
    throw new UsageFailure("--out: a directory that can be written is accepted");
  });
  try {
    for (const kind of kinds) {
      const path = join(directory, `${kind.name}.jsonl`);
      files.set(kind, await newFile(path, `a writable directory without ${kind.name}.jsonl`));
      paths.push(path);
    }
    const written = await receive(kinds, options, deps, async (kind, lines) => {
      isBegun = true;
      await files.get(kind)?.writeFile(lines);
      return true;
    });
    for (const file of files.values()) await file.sync();
    if (options.json) writeJson(deps.stdout, written.counts());
    else writeLine(deps.stdout, written.text());
  } catch (error) {
    if (isBegun) writeLine(deps.stderr, `The files in ${directory} are incomplete`);
    else for (const path of paths) await rm(path);
    throw error;
  } finally {
    for (const file of files.values()) await file.close();
  }
}

/**
 * Passes each batch to `write` as lines of JSON, until it returns false. A stream that breaks off is resumed where it
 * ended.
 */
async function receive(
  kinds: readonly Kind[],
  options: ExportOptions,
  deps: CommandDeps,
  write: (kind: Kind, lines: string) => Promise<boolean>,
): Promise<Written> {
  const written = new Written(kinds);
  const request: MessageInitShape<typeof ExportAppRequestSchema> = {
    appId: options.app,
    kinds: options.kind === undefined ? [] : kinds.map(({ kind }) => kind),
    ...(options.since && { startTime: options.since }),
    ...(options.before && { endTime: options.before }),
  };
  await withClients(options, deps, async ({ apps }) => {
    let resumeToken = "";
    for (let failures = 0; failures <= MAX_FAILURES; failures++) {
      try {
        for await (const message of batches(apps, { ...request, resumeToken }, deps)) {
          const kind = kinds.find((one) => one.kind === message.kind);
          const records = kind?.recordsOf(message) ?? [];
          const lines = records.map((record) => `${JSON.stringify(record)}\n`).join("");
          if (kind === undefined || !(await write(kind, lines))) return;
          written.add(kind, records.length);
          resumeToken = message.resumeToken;
          failures = 0;
        }
        return;
      } catch (error) {
        if (resumeToken === "" || failures === MAX_FAILURES || !isPassing(error)) throw error;
      }
      await deps.sleep(RESUME_AFTER_MS, deps.signal);
    }
  });
  return written;
}

function batches(
  apps: Clients["apps"],
  request: MessageInitShape<typeof ExportAppRequestSchema>,
  { signal }: CommandDeps,
): AsyncIterable<ExportAppResponse> {
  return apps.exportApp(request, signal && { signal });
}

/** Counts of written records. */
class Written {
  readonly #counts: Map<Kind, number>;

  constructor(kinds: readonly Kind[]) {
    this.#counts = new Map(kinds.map((kind) => [kind, 0]));
  }

  add(kind: Kind, records: number): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + records);
  }

  counts(): Record<string, number> {
    return Object.fromEntries([...this.#counts].map(([{ name }, records]) => [name, records]));
  }

  text(): string {
    const parts = [...this.#counts].map(([{ name }, records]) => `${count(records)} ${name.replace("-", " ")}`);
    return `${parts.join(", ")} exported`;
  }
}

/** Writes text and waits until the output takes more. Returns false when its reader has closed it. */
async function flushed(output: Output, text: string): Promise<boolean> {
  if (output.destroyed) return false;
  if (output.write(text)) return true;
  await new Promise<void>((resolve) => {
    const end = () => {
      output.off("drain", end).off("close", end);
      resolve();
    };
    output.on("drain", end).on("close", end);
  });
  return !output.destroyed;
}
