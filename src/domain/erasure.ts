import type { VisitorKey } from "./ids.js";

/** All known ids of a person in one app. Every record that carries one of them belongs to the person. */
export interface Person {
  readonly visitorKeys: readonly VisitorKey[];
  /** User ids that are proven to be the person's: nobody else's word for them counts. */
  readonly provenKeys: readonly VisitorKey[];
  /** `e:<email key>`, `p:<phone key>`, and `i:<id>` of former contacts. */
  readonly contactKeys: readonly string[];
  readonly contactIds: readonly string[];
  /** Owners of histories: visitor ids and contact ids. */
  readonly historyIds: readonly string[];
  /** Orders of the person: events that speak of one are the person's, whoever they name. */
  readonly orderIds: readonly string[];
  /** Events of the person that are young enough to have an idempotency key. */
  readonly eventIds: readonly string[];
}

export const NOBODY: Person = {
  visitorKeys: [],
  provenKeys: [],
  contactKeys: [],
  contactIds: [],
  historyIds: [],
  orderIds: [],
  eventIds: [],
};

/** The steps of an erasure, in order. Its first transaction parts the identity; `identity` is of erasures that earlier versions began. */
export const ERASURE_STEPS = [
  "identity",
  "visitors",
  "changes",
  "interactions",
  "orders",
  "events",
  "rejectedEvents",
  "idempotency",
  "confirmations",
  "outbox",
  "deadHooks",
  "recheck",
  "scrub",
  "done",
] as const;

export type ErasureStep = (typeof ERASURE_STEPS)[number];

/** Number of removed records by table. */
export type ErasureCounts = Readonly<Record<string, number>>;

/**
 * The erasure of a person. It stores its progress, so that any process can continue it, and afterwards proves that it
 * was done. A finished one contains no ids. Its operation has the id of the erasure.
 */
export interface Erasure {
  /** UUIDv7. */
  readonly erasureId: string;
  /** Everything received up to this time is erased; later events are new. Not before the time in any earlier id. */
  readonly startedAt: number;
  /** 0 while it is under way. */
  readonly finishedAt: number;
  /** When a process last worked on it. */
  readonly workedAt: number;
  readonly step: ErasureStep;
  /** Within the step, rows up to this key are done. */
  readonly upTo: string;
  readonly person: Person;
  readonly counts: ErasureCounts;
  /** Linked contacts that were not named, and stay. */
  readonly contactsKept: number;
  /** It looks a second time, for what was received before it began and written since. */
  readonly isSecond: boolean;
}
