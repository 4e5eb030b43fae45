import { SHED_REASONS } from "../../domain/errors.js";
import { KNOWN_ACTIONS } from "../../domain/event.js";
import { FEED_OUTCOMES } from "../../domain/feed.js";
import { HOOK_FAILURES } from "../../domain/hook.js";
import { TRAINING_REASONS } from "../../domain/model.js";
import { FAILURE_PLACES } from "../report-failure.js";
import type { MetricDefinition } from "./prometheus.js";

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
  "suppressions",
  "feeds",
  "products",
  "productSkus",
  "productCounts",
  "unconfirmedProducts",
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

/** Every counter by its name in code. Prometheus shows `aisle_<name>_total`. */
export const COUNTERS: Readonly<Record<string, MetricDefinition>> = {
  events_acknowledged: {
    help: "Events acknowledged to their senders: stored or deduplicated",
  },
  events_stored: {
    help: "Events stored durably, by action",
    labels: { action: KNOWN_ACTIONS },
  },
  links_refused: {
    help: "Events whose visitor was not linked to an address because a limit of the day or hour was reached, by limit",
    labels: { limit: ["visitor", "network", "app"] },
  },
  learned_products: {
    help: "Products learned from events: added as unconfirmed, confirmed, changed, and evicted while unconfirmed",
    labels: { outcome: ["added", "confirmed", "changed", "evicted"] },
  },
  event_products: {
    help: "Products in events of known apps, by whether the catalogue has the id, the SKU or the variants' group",
    labels: { known: ["yes", "no"] },
  },
  events_deduplicated: { help: "Events not stored because their idempotency key was already used" },
  events_stored_late: { help: "Events stored after their senders' timeout" },
  rejected_events_kept: { help: "Rejected events kept in the app's log" },
  rejected_events_dropped: {
    help: "Rejected events not kept in the log: too large, too many, or the store was not writable",
    labels: { reason: ["size", "rate", "store"] },
  },
  events_without_profile: { help: "Events stored without their visitor because of the browser's privacy signal" },
  retention_removed: {
    help: "Records removed by the retention sweep",
    labels: {
      table: ["events", "interactions", "orders", "visitors", "rejectedEvents", "frameExposures", "frameTallies"],
    },
  },
  erasures_begun: { help: "Erasures of personal data begun" },
  events_of_bots: { help: "Stored events that came from bots" },
  facade_requests: {
    help: "Requests answered by the REST facade",
    labels: { operation: OPERATIONS, status: STATUSES },
  },
  facade_form_dropped: {
    help: "Form fields of /trace dropped: too many fields, or value too large",
    labels: { reason: ["fields", "value_size"] },
  },
  hook_messages: {
    help: "Messages sent to hooks, by outcome",
    labels: { outcome: ["delivered", ...HOOK_FAILURES] },
  },
  feed_runs: { help: "Scheduled feed imports, by outcome", labels: { outcome: FEED_OUTCOMES } },
  feed_items: {
    help: "Products of scheduled feed imports: accepted, rejected, and hidden because they were not listed",
    labels: { outcome: ["accepted", "rejected", "hidden"] },
  },
  trainings: {
    help: "Models trained, by reason",
    labels: { reason: TRAINING_REASONS.filter((reason) => reason !== "") },
  },
  trainings_failed: { help: "Trainings that nobody asked for and that failed; the log says of which app and why" },
  recommend_unknown_frames: { help: "Requests that named a frame that does not exist" },
  frame_outcomes: {
    help: "Results of A/B variants: answers (exposures), and visitors who saw, clicked, ordered, or cancelled all orders, by place of the variant",
    labels: {
      outcome: ["exposures", "visitors", "clicked", "ordered", "cancelled"],
      place: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "other"],
    },
  },
  frame_counts_dropped: { help: "Exposures and results of A/B variants that could not be counted" },
  apps_evicted: { help: "Apps whose catalogue and model left memory for others; see --memory-mib" },
  models_read_in_part: {
    help: "Models of another Aisle version loaded without the parts that this version cannot read",
  },
  recommend_history_failures: {
    help: "Answers without the visitor's stored history because it could not be read",
  },
  recommend_frame_failures: { help: "Answers with the default frame because the frame could not be read" },
  app_copies_used: { help: "Calls answered with a cached app or frame because the store did not answer" },
  recommend_source_failures: {
    help: "Candidate sources left out of an answer because they failed",
    labels: { source: SOURCES },
  },
  failures_passed_over: {
    help: "Background steps that failed, by place; logged once a minute for each place",
    labels: { place: FAILURE_PLACES },
  },
  store_works: { help: "Units of work committed" },
  shed: {
    help: "Calls and units of work rejected because of overload, by reason",
    labels: { reason: SHED_REASONS },
  },
  store_commits: {
    help: "Commits of a MongoDB store; each holds the units of work that gathered during the previous one",
  },
  store_commits_conflicted: { help: "Transactions run again because another one wrote the same records" },
  store_commits_failed: { help: "Failed commits; the embedded store rejects writes after the first one" },
  store_damaged_values: {
    help: "Stored values not returned because their checksum or format is wrong",
    labels: { table: TABLES },
  },
};

/** Every duration by its name in code. Prometheus shows `aisle_<name without _ms>_seconds`. */
export const DURATIONS: Readonly<Record<string, MetricDefinition>> = {
  facade_request_ms: { help: "Time from a request's arrival to its answer", labels: { operation: OPERATIONS } },
  store_commit: { help: "Duration of a commit, including the sync to disk" },
};

/** A gauge that is read at each scrape. */
export interface ValueDefinition {
  readonly help: string;
}

/** Every gauge by its name in code. Prometheus shows `aisle_<name>`, with `_seconds` for `_ms`. */
export const VALUES: Readonly<Record<string, ValueDefinition>> = {
  store_queue_works: { help: "Units of work waiting for a commit" },
  store_queue_bytes: { help: "Estimated bytes that the waiting units of work will write" },
  store_queue_age_ms: { help: "Age of the oldest waiting unit of work" },
  events_limit: { help: "Limit of single events in flight in the store; further ones are rejected" },
  events_in_flight: { help: "Single events in flight in the store" },
  bulk_limit: { help: "Limit of units of work of bulk calls in flight in a MongoDB store; others wait" },
  bulk_in_flight: { help: "Units of work of bulk calls in flight in a MongoDB store" },
  watches: { help: "Open calls of WatchEvents and WatchSubscriptions" },
  clock_difference_ms: { help: "Difference between the system clock and Aisle's clock" },
  app_memory_bytes: { help: "Estimated bytes of the catalogues and models in memory" },
  model_behind_ms: {
    help: "Age of the oldest model whose app has newer data that could not be learned",
  },
  ready: { help: "1 while events can be stored durably; checked every second" },
};

/** Metrics of RPCs; `methods` lists the values of their label. */
export function rpcDefinitions(methods: readonly string[]): {
  readonly counters: Readonly<Record<string, MetricDefinition>>;
  readonly durations: Readonly<Record<string, MetricDefinition>>;
} {
  return {
    counters: {
      trace_spans: {
        help: "Trace spans sent to the collector, and spans lost",
        labels: { outcome: ["sent", "lost"] },
      },
      rpc_calls: { help: "RPCs ended, by method and code", labels: { method: methods, code: CODES } },
    },
    durations: { rpc_call_ms: { help: "Time from an RPC's arrival to its end", labels: { method: methods } } },
  };
}
