import { SHED_REASONS } from "../../domain/errors.js";
import { KNOWN_ACTIONS } from "../../domain/event.js";
import { FEED_OUTCOMES } from "../../domain/feed.js";
import { HOOK_FAILURES } from "../../domain/mailing.js";
import type { MetricDefinition } from "./label-sets.js";

const OPERATIONS = ["subscription_status", "trace", "recommend"];
const SOURCES = ["association_rules", "semantic", "collaborative", "cart", "popularity"];
const STATUSES = ["200", "204", "400", "403", "404", "405", "408", "413", "415", "422", "429", "431", "500", "503"];
const CODES = [
  "ok",
  "canceled",
  "unknown",
  "invalid_argument",
  "deadline_exceeded",
  "not_found",
  "already_exists",
  "permission_denied",
  "resource_exhausted",
  "failed_precondition",
  "aborted",
  "out_of_range",
  "unimplemented",
  "internal",
  "unavailable",
  "data_loss",
  "unauthenticated",
];
const TABLES = [
  "apps",
  "frames",
  "frameVersions",
  "frameTallies",
  "frameExposures",
  "events",
  "idempotency",
  "idempotencyTimes",
  "rejectedEvents",
  "rejectedLogs",
  "visitors",
  "visitorKeys",
  "interactions",
  "contacts",
  "contactKeys",
  "changes",
  "contactChanges",
  "ledgerHeads",
  "networkLinks",
  "mailingSecrets",
  "confirmations",
  "outbox",
  "deadHooks",
  "feeds",
  "products",
  "productSkus",
  "orders",
  "erasures",
  "models",
  "pointers",
  "activity",
  "removals",
  "leases",
  "productLog",
  "productHeads",
];

/** Every counter there is, by the name code uses. Prometheus shows `aisle_<name>_total`. */
export const COUNTERS: Readonly<Record<string, MetricDefinition>> = {
  events_acknowledged: {
    help: "Events whose senders were told that they are kept: always those stored and those deduplicated",
  },
  events_stored: {
    help: "Events stored, each after it was on disk, by what happened",
    labels: { action: KNOWN_ACTIONS },
  },
  links_refused: {
    help: "Events whose visitor was not linked to their address, by the limit of addresses a day that was reached",
    labels: { limit: ["visitor", "network"] },
  },
  events_deduplicated: { help: "Events not stored again because their idempotency key was known" },
  events_stored_late: { help: "Events stored after their senders had been refused for the time it took" },
  rejected_events_kept: { help: "Refused events kept in the log of their app" },
  rejected_events_dropped: {
    help: "Refused events not kept: too large, too many at a time, or the store took no more",
    labels: { reason: ["size", "rate", "store"] },
  },
  events_without_profile: { help: "Events kept without whoever sent them, whose browser asked for no profile" },
  retention_removed: {
    help: "Records removed because their app keeps them no longer",
    labels: {
      table: ["events", "interactions", "orders", "visitors", "rejectedEvents", "frameExposures", "frameTallies"],
    },
  },
  erasures_begun: { help: "Erasures of persons begun" },
  events_of_bots: { help: "Events of robots among those stored" },
  facade_requests: {
    help: "Requests answered by the REST facade",
    labels: { operation: OPERATIONS, status: STATUSES },
  },
  facade_form_dropped: {
    help: "Form fields dropped for the limits of the trace endpoint: too many fields, or too large a value",
    labels: { reason: ["fields", "value_size"] },
  },
  hook_messages: {
    help: "Messages sent to the hooks of apps, by what came of it",
    labels: { outcome: ["delivered", ...HOOK_FAILURES] },
  },
  feed_runs: { help: "Feeds read by schedule, by what came of it", labels: { outcome: FEED_OUTCOMES } },
  feed_items: {
    help: "Products of feeds read by schedule: taken, rejected, and hidden because they were not listed",
    labels: { outcome: ["accepted", "rejected", "hidden"] },
  },
  recommend_unknown_frames: { help: "Requests that named a frame configuration their app does not have" },
  frame_outcomes: {
    help: "Answers for frames that split visitors, and visitors who met, clicked, ordered and cancelled all they ordered, by the variant's place",
    labels: {
      outcome: ["exposures", "visitors", "clicked", "ordered", "cancelled"],
      place: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "other"],
    },
  },
  frame_counts_dropped: { help: "Meetings with split frames, and what visitors then did, that were not counted" },
  models_read_in_part: {
    help: "Models of another version of Aisle loaded without the parts this one cannot read, until their next training",
  },
  recommend_history_failures: {
    help: "Answers made without the visitor's stored history because it could not be read",
  },
  recommend_frame_failures: { help: "Frame configurations taken for the default one because they could not be read" },
  app_copies_used: { help: "Calls answered by a remembered app or frame because the store did not answer" },
  recommend_source_failures: {
    help: "Sources of candidates left out of an answer because they failed",
    labels: { source: SOURCES },
  },
  store_works: { help: "Units of work committed" },
  shed: {
    help: "Calls and works refused because there was no room for them, by what was short",
    labels: { reason: SHED_REASONS },
  },
  store_commits: { help: "Commits of a MongoDB store, each of all works that gathered during the one before" },
  store_commits_overtaken: { help: "Commits begun again because another server wrote the same records first" },
  store_commits_completed: { help: "Commits that an interrupted server left behind and this one completed" },
  store_watch_failed: { help: "Looks for what other processes wrote that failed and are tried again" },
  store_commits_failed: { help: "Commits that failed; the store refuses writes from the first one on" },
  store_upkeep_failed: { help: "Clean-ups of the store that failed and are tried again" },
  store_watchers_failed: { help: "Listeners for changed products that failed" },
  store_damaged_values: {
    help: "Stored values refused because their checksum or format does not match",
    labels: { table: TABLES },
  },
};

/** Every duration there is, by the name code uses. Prometheus shows `aisle_<name without _ms>_seconds`. */
export const DURATIONS: Readonly<Record<string, MetricDefinition>> = {
  facade_request_ms: { help: "Time from a request's arrival to its answer", labels: { operation: OPERATIONS } },
  store_commit: { help: "Time of a commit, with its sync to disk" },
};

/** A value that is read whenever metrics are shown. */
export interface ValueDefinition {
  readonly help: string;
  /** What is shown of several processes together. */
  readonly across: "sum" | "max" | "min";
}

/** Every value there is, by the name code uses. Prometheus shows `aisle_<name>`, with `_seconds` for `_ms`. */
export const VALUES: Readonly<Record<string, ValueDefinition>> = {
  store_queue_works: { help: "Units of work that wait for a commit", across: "sum" },
  store_queue_bytes: { help: "What waiting works are expected to write, going by those before them", across: "sum" },
  store_queue_age_ms: { help: "How long the oldest waiting work has waited", across: "max" },
  facade_trace_waiting: { help: "Events of the REST facade that wait for their answer", across: "sum" },
  ready: { help: "1 while an event could be made durable, looked at every second", across: "min" },
};

/** What is counted of each RPC; `methods` are those there are. */
export function rpcDefinitions(methods: readonly string[]): {
  readonly counters: Readonly<Record<string, MetricDefinition>>;
  readonly durations: Readonly<Record<string, MetricDefinition>>;
} {
  return {
    counters: {
      trace_spans: {
        help: "Spans of traces handed to the collector, and those it did not take",
        labels: { outcome: ["sent", "lost"] },
      },
      rpc_calls: { help: "RPCs ended, by method and code", labels: { method: methods, code: CODES } },
    },
    durations: { rpc_call_ms: { help: "Time from an RPC's arrival to its end", labels: { method: methods } } },
  };
}
