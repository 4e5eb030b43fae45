import { Code, ConnectError } from "@connectrpc/connect";
import type { FieldSet } from "../../catalog/feed/columns.js";
import { createColumnPlan } from "../../catalog/feed/columns.js";
import type { FeedFormat } from "../../catalog/feed/feed-reader.js";
import type { ImportedContact } from "../../gen/aisle/v1/contact_pb.js";
import { BULK_TIMEOUT_MS, type Clients, type ServerOptions, withTryingClients } from "../client.js";
import type { CommandDeps } from "../deps.js";
import { count } from "../output.js";
import { CONTACT_FIELDS, createContactReader } from "./contact-row.js";
import { fetchInput, openInput } from "./input.js";
import { createListedStates } from "./listed-states.js";
import type { Listing } from "./listing.js";
import { createProgress } from "./progress.js";
import { createRejects } from "./rejects.js";
import { type ImportTally, type ItemMaker, runImport } from "./run.js";
import { type BulkCall, createSender } from "./sender.js";
import { finish, type Hiding, type Remarks } from "./totals.js";

export interface ImportOptions extends ServerOptions {
  readonly app: string;
  readonly map?: readonly string[];
  readonly currency?: string;
  readonly json?: boolean;
  /** File for the rejected lines, one JSON object each. */
  readonly report?: string;
}

export interface ContactImportOptions extends ImportOptions {
  readonly ignoreColumn?: readonly string[];
}

export async function importContacts(file: string, options: ContactImportOptions, deps: CommandDeps): Promise<void> {
  const remarks: Remarks = { counts: new Map() };
  const reader = createContactReader({
    maps: options.map ?? [],
    ignored: options.ignoreColumn ?? [],
    remark: (text) => remark(remarks, text),
    now: deps.now,
  });
  const states = createListedStates();
  await importFile(file, options, deps, {
    noun: "contacts",
    fields: CONTACT_FIELDS,
    remarks,
    maker: {
      push: (row) => {
        const message = reader.read(row);
        if (states.contradicts(message))
          remark(remarks, "the address stands on another line with another state: the stricter one counts");
        return [{ message, sources: [{ line: row.line, raw: row.raw }], key: "" }];
      },
      end: () => {
        for (const name of reader.unseen()) remark(remarks, `--ignore-column ${name}: the file has no such column`);
        return [];
      },
    },
    call: ({ subscriptions }) => contactCall(subscriptions, options.app, remarks),
    repeatable: true,
    keySeed: null,
  });
}

interface FileJob<Field extends string, Message> {
  readonly noun: string;
  readonly fields: FieldSet<Field>;
  readonly remarks: Remarks;
  readonly maker: ItemMaker<Field, Message>;
  readonly call: (clients: Clients) => BulkCall<Message>;
  /** Called before the file is read. `note` prints a line. */
  readonly prepare?: (clients: Clients, note: (text: string) => void) => Promise<void>;
  /** Starts to report the ids that a full feed lists. */
  readonly listing?: (clients: Clients) => Listing;
  readonly repeatable: boolean;
  readonly keySeed: string | null;
  readonly takesXml?: boolean;
  readonly privateFeeds?: boolean;
  readonly format?: FeedFormat | undefined;
}

export async function importFile<Field extends string, Message>(
  file: string,
  options: ImportOptions,
  deps: CommandDeps,
  job: FileJob<Field, Message>,
): Promise<void> {
  const maps = options.map ?? [];
  createColumnPlan(job.fields, maps); // report a wrong --map before opening anything
  const isAddress = /^https?:\/\//i.test(file);
  const input =
    isAddress && job.takesXml
      ? await fetchInput(file, deps.feedSource({ allowPrivate: job.privateFeeds === true }), deps.signal)
      : await openInput(file, deps.stdin);
  const startedAt = deps.now();
  const { name, totalBytes } = input;
  const progress = createProgress({ output: deps.stderr, name, totalBytes, now: deps.now });
  const rejects = createRejects({ path: input.rejectedPath, reportPath: options.report, note: progress.note });
  const tally: ImportTally = { unit: "line", rows: 0, notUtf8: 0 };
  const counts = { accepted: 0, deduplicated: 0, suppressed: 0 };
  let failure: unknown = null;
  let hiding: Hiding | null = null;
  try {
    await withTryingClients(options, deps, async (clients) => {
      const sender = createSender<Message>({
        call: job.call(clients),
        onRefused: (row) => rejects.add(row),
        repeatable: job.repeatable,
        sleep: (ms) => deps.sleep(ms, deps.signal),
        now: deps.now,
        onSlow: (items) => progress.note(`The server is slow, next calls bring at most ${count(items)} ${job.noun}`),
        onWait: (ms) => progress.note(`The server cannot take more now, next try in ${ms / 1000} s`),
        counts,
      });
      await job.prepare?.(clients, progress.note);
      const { fields, maker, keySeed, format, takesXml = false } = job;
      const listing = job.listing?.(clients);
      const { signal } = deps;
      try {
        await runImport(
          { input, fields, maps, maker, format, takesXml, sender, listing, rejects, progress, keySeed, signal },
          tally,
        );
        if (listing !== undefined && counts.accepted > 0) hiding = await hidingOf(listing, tally.unit);
      } finally {
        listing?.abort();
      }
    });
  } catch (error) {
    failure = error;
  } finally {
    await rejects.close();
    progress.stop();
    await input.close();
  }
  const { noun, remarks } = job;
  finish(
    { noun, name, tally, counts, rejects, remarks, hiding, tookMs: deps.now() - startedAt, failure },
    options,
    deps,
  );
}

/** Ends the listing. A server that will not hide so much is a result, too. */
async function hidingOf(listing: Listing, unit: string): Promise<Hiding> {
  try {
    const { hidden, unlisted, unknown } = await listing.end();
    if (hidden > 0 || unlisted === 0) return { hidden, unlisted, refusal: "" };
    return { hidden, unlisted, refusal: `${count(unknown)} ${unit}s had no readable id` };
  } catch (error) {
    if (!(error instanceof ConnectError) || error.code !== Code.FailedPrecondition) throw error;
    return { hidden: 0, unlisted: null, refusal: error.rawMessage };
  }
}

export function remark(remarks: Remarks, text: string, times = 1): void {
  if (times > 0) remarks.counts.set(text, (remarks.counts.get(text) ?? 0) + times);
}

function contactCall(
  subscriptions: Clients["subscriptions"],
  appId: string,
  remarks: Remarks,
): BulkCall<ImportedContact> {
  return async (batches) => {
    async function* messages() {
      for (const batch of batches) yield { appId, contacts: batch.map((item) => item.message) };
    }
    const answer = await subscriptions.importContacts(messages(), { timeoutMs: BULK_TIMEOUT_MS });
    remark(remarks, "the contact has unsubscribed and stays so: the list has no later time", answer.keptUnsubscribed);
    return { accepted: answer.accepted, deduplicated: 0, suppressed: answer.suppressed, refused: answer.refused };
  };
}
