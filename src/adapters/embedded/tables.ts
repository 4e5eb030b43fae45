import type { Interaction } from "../../domain/interaction.js";
import type { KeptLease } from "../store/lease.js";
import type { RecordTypes } from "../store/record-types.js";
import type { RecordCodec } from "./codec.js";
import {
  appRecord,
  copyMarkRecord,
  type KeptModel,
  type LogHead,
  leaseRecord,
  logHeadRecord,
  modelRecord,
  numberRecord,
  pointerRecord,
  textRecord,
  textsRecord,
} from "./records/app.js";
import { interactionRecord, orderRecord, productRecord } from "./records/catalog.js";
import { erasureRecord } from "./records/erasure.js";
import { eventRecord, idempotencyRecord } from "./records/event.js";
import { feedRecord } from "./records/feed.js";
import { frameExposureRecord, frameRecord, frameTallyRecord, frameVersionRecord } from "./records/frame.js";
import { confirmationRecord, hookEntryRecord, mailingSecretsRecord } from "./records/mailing.js";
import { rejectedEventRecord, rejectedLogRecord } from "./records/rejected-event.js";
import { changeRecord, contactRecord, ledgerHeadRecord, networkLinksRecord, visitorRecord } from "./records/visitor.js";
import type { Table } from "./table.js";

interface EmbeddedRecordTypes extends RecordTypes {
  /** Idempotency keys in order of their time, so that old ones are found. */
  readonly idempotencyTimes: string;
  readonly interactions: Interaction;
  /** Change ids by contact. */
  readonly contactChanges: string;
  /** Ids of the products each batch wrote, in order of commits; see `product-log.ts`. */
  readonly productLog: readonly string[];
  readonly productHeads: LogHead;
  readonly models: KeptModel;
  readonly leases: KeptLease;
}

/** Every table of the store. Each key begins with an app id; what an app has one of stands under `appKey`. */
export type Tables = { readonly [K in keyof EmbeddedRecordTypes]: Table<EmbeddedRecordTypes[K]> };

export function openTables(open: <T>(name: string, codec: RecordCodec<T>) => Table<T>): Tables {
  return {
    apps: open("apps", appRecord),
    frames: open("frames", frameRecord),
    frameVersions: open("frameVersions", frameVersionRecord),
    frameTallies: open("frameTallies", frameTallyRecord),
    frameExposures: open("frameExposures", frameExposureRecord),
    events: open("events", eventRecord),
    idempotency: open("idempotency", idempotencyRecord),
    idempotencyTimes: open("idempotencyTimes", textRecord),
    rejectedEvents: open("rejectedEvents", rejectedEventRecord),
    rejectedLogs: open("rejectedLogs", rejectedLogRecord),
    visitors: open("visitors", visitorRecord),
    visitorKeys: open("visitorKeys", textRecord),
    interactions: open("interactions", interactionRecord),
    contacts: open("contacts", contactRecord),
    contactKeys: open("contactKeys", textRecord),
    changes: open("changes", changeRecord),
    contactChanges: open("contactChanges", textRecord),
    ledgerHeads: open("ledgerHeads", ledgerHeadRecord),
    networkLinks: open("networkLinks", networkLinksRecord),
    mailingSecrets: open("mailingSecrets", mailingSecretsRecord),
    confirmations: open("confirmations", confirmationRecord),
    outbox: open("outbox", hookEntryRecord),
    deadHooks: open("deadHooks", hookEntryRecord),
    feeds: open("feeds", feedRecord),
    products: open("products", productRecord),
    productSkus: open("productSkus", textRecord),
    productLog: open("productLog", textsRecord),
    productHeads: open("productHeads", logHeadRecord),
    orders: open("orders", orderRecord),
    erasures: open("erasures", erasureRecord),
    models: open("models", modelRecord),
    pointers: open("pointers", pointerRecord),
    activity: open("activity", numberRecord),
    leases: open("leases", leaseRecord),
    removals: open("removals", numberRecord),
    copies: open("copies", copyMarkRecord),
  };
}
