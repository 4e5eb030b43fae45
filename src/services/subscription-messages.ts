import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Channel, Contact, SubscriptionChange, SubscriptionStatus } from "../domain/contact.js";
import { InvalidArgument } from "../domain/errors.js";
import { type Evidence, evidenceNetwork, evidenceOf } from "../domain/evidence.js";
import { changeIdOf, isErased, type Seal } from "../domain/ledger.js";
import type { Visitor } from "../domain/visitor.js";
import type { ContactSchema, ImportedContact } from "../gen/aisle/v1/contact_pb.js";
import {
  ChangeSource,
  type ConsentEvidence,
  LedgerFaultKind,
  type LedgerSealSchema,
  type SubscriptionChangeSchema,
} from "../gen/aisle/v1/ledger_pb.js";
import { SubscriptionChannel, SubscriptionState } from "../gen/aisle/v1/subscription_pb.js";
import type { VerifyLedgerResponseSchema } from "../gen/aisle/v1/subscription_service_pb.js";
import type { VisitorSchema } from "../gen/aisle/v1/visitor_pb.js";
import type { ListedContact } from "../identity/import-contacts.js";
import type { LedgerReport } from "../identity/ledger/verify-ledger.js";
import { msOf, timestampOf, visitorIdsOf } from "./common-messages.js";

export function stateOf(status: SubscriptionStatus): SubscriptionState {
  if (status === null) return SubscriptionState.UNKNOWN;
  return status ? SubscriptionState.SUBSCRIBED : SubscriptionState.UNSUBSCRIBED;
}

export function statusOf(state: SubscriptionState, field: string): SubscriptionStatus {
  switch (state) {
    case SubscriptionState.UNSPECIFIED:
      return null;
    case SubscriptionState.SUBSCRIBED:
      return true;
    case SubscriptionState.UNSUBSCRIBED:
      return false;
    default:
      throw new InvalidArgument(field, "invalid", "SUBSCRIBED or UNSUBSCRIBED");
  }
}

export function contactMessage(contact: Contact): MessageInitShape<typeof ContactSchema> {
  return {
    contactId: contact.contactId,
    email: contact.email,
    phone: contact.phone,
    emailState: stateOf(contact.emailSubscription.status),
    smsState: stateOf(contact.smsSubscription.status),
    firstName: contact.firstName,
    lastName: contact.lastName,
    country: contact.country,
    city: contact.city,
    gender: contact.gender,
    birthDate: contact.birthDate,
    tags: [...contact.tags],
    createTime: timestampOf(contact.createdAt),
  };
}

/** Keys begin with their kind: see `visitorKeys`. */
export function visitorMessage(visitor: Visitor): MessageInitShape<typeof VisitorSchema> {
  const idsOf = (kind: string) =>
    visitor.keys.filter((key) => key.startsWith(`${kind}:`)).map((key) => key.slice(kind.length + 1));
  return {
    visitorId: visitor.visitorId,
    clientIds: idsOf("c"),
    fingerprintIds: idsOf("f"),
    userIds: idsOf("u"),
    contactId: visitor.contactId,
    linkProven: visitor.contactId !== "" && visitor.isProven,
    ...(visitor.contactId !== "" && { linkTime: timestampOf(visitor.linkedSince) }),
    createTime: timestampOf(visitor.createdAt),
  };
}

const SOURCES = {
  event: ChangeSource.EVENT,
  rpc: ChangeSource.RPC,
  import: ChangeSource.IMPORT,
  confirmation: ChangeSource.CONFIRMATION,
  unsubscribe: ChangeSource.UNSUBSCRIBE,
  erasure: ChangeSource.ERASURE,
  merge: ChangeSource.MERGE,
  request: ChangeSource.REQUEST,
} as const satisfies Record<SubscriptionChange["source"], ChangeSource>;

const FAULT_KINDS = {
  missing: LedgerFaultKind.MISSING,
  changed: LedgerFaultKind.CHANGED,
  person: LedgerFaultKind.PERSON,
  link: LedgerFaultKind.LINK,
  head: LedgerFaultKind.HEAD,
  anchor: LedgerFaultKind.ANCHOR,
  contact: LedgerFaultKind.CONTACT,
} as const satisfies Record<LedgerReport["newFaults"][number]["kind"], LedgerFaultKind>;

export function changeMessage(change: SubscriptionChange): MessageInitShape<typeof SubscriptionChangeSchema> {
  return {
    changeId: change.changeId,
    contactId: change.contactId,
    channel: channelOf(change.channel),
    oldState: stateOf(change.from),
    newState: stateOf(change.to),
    changeTime: timestampOf(change.occurredAt),
    source: SOURCES[change.source],
    eventId: change.eventId,
    reason: change.reason,
    recordTime: timestampOf(change.recordedAt),
    statementId: change.by,
    erased: isErased(change),
    ...(change.evidence !== null && { evidence: change.evidence }),
    seal: change.seal === null ? undefined : sealMessage(change.seal),
  };
}

function sealMessage({ salt, commitment, previous, hash }: Seal): MessageInitShape<typeof LedgerSealSchema> {
  return { salt, commitment, previousHash: previous, hash };
}

export function channelOf(channel: Channel): SubscriptionChannel {
  return channel === "email" ? SubscriptionChannel.EMAIL : SubscriptionChannel.SMS;
}

/** Reads evidence; null when nothing is said. Throws InvalidArgument for a network that is none. */
export function evidenceIn(message: ConsentEvidence | undefined): Evidence | null {
  if (message === undefined) return null;
  const { wording, place } = message;
  const network = evidenceNetwork(message.network);
  for (const [field, text] of [
    ["wording", wording],
    ["place", place],
  ] as const)
    if (text.length > MAX_EVIDENCE)
      throw new InvalidArgument(`evidence.${field}`, "invalid", `at most ${MAX_EVIDENCE} characters`);
  if (message.network !== "" && network === "")
    throw new InvalidArgument("evidence.network", "invalid", "an IP address, or a network of at least 24 or 48 bits");
  return evidenceOf({ wording, place, network });
}

const MAX_EVIDENCE = 8192;

/** Reads a contact of an import. Throws InvalidArgument for an unknown state. */
export function listedContact(message: ImportedContact): ListedContact {
  const evidence = evidenceIn(message.evidence);
  return {
    email: message.email,
    phone: message.phone,
    emailSubscribed: statusOf(message.emailState, "email_state"),
    smsSubscribed: statusOf(message.smsState, "sms_state"),
    changedAt: msOf(message.changeTime),
    firstName: message.firstName,
    lastName: message.lastName,
    country: message.country,
    city: message.city,
    gender: message.gender,
    birthDate: message.birthDate,
    tags: message.tags,
    reason: message.reason,
    // Absent where there is none: the id of the statement derives from all that the line says.
    ...(evidence !== null && { evidence }),
    visitor: message.visitor === undefined ? null : visitorIdsOf(message.visitor),
  };
}

/** Progress of a verification of a ledger. */
export function ledgerReportMessage(report: LedgerReport): MessageInitShape<typeof VerifyLedgerResponseSchema> {
  return {
    entries: report.entries,
    erasedEntries: report.erased,
    unchainedEntries: report.unchained,
    contacts: report.contacts,
    faultTotal: report.faultCount,
    faults: report.newFaults.map(({ kind, changeId, contactId, channel }) => ({
      kind: FAULT_KINDS[kind],
      changeId,
      contactId,
      channel: channel === undefined ? SubscriptionChannel.UNSPECIFIED : channelOf(channel),
    })),
    headChangeId: report.head.count === 0 ? "" : changeIdOf(report.head.count),
    headHash: report.head.count === 0 ? "" : report.head.hash,
    done: report.isDone,
  };
}
