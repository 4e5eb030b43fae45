import { keysOfAddresses } from "../domain/address-keys.js";
import type { Channel, Contact } from "../domain/contact.js";
import type { Event } from "../domain/event.js";
import { type Evidence, evidenceNetwork } from "../domain/evidence.js";
import type { PublicSender } from "../domain/public-sender.js";
import { isTrusted } from "../domain/visitor.js";
import { type Effect, type Identity, NO_OUTCOME, type Outcome } from "../intake/effect.js";
import { emailKey, phoneKey } from "../parse/addresses.js";
import type { Transaction } from "../store/ports/unit-of-work.js";
import { contactOfNumber } from "./contacts.js";
import { announceConfirmationWanted } from "./hooks/announce.js";
import { type NewSalt, state } from "./ledger/ledger.js";
import { requestConfirmation } from "./request-confirmation.js";
import type { Suppressions } from "./suppressions.js";

const OPEN = { linkTrust: "open" } as const;

interface SubscriptionSources {
  readonly newSalt: NewSalt;
  readonly newId: () => string;
  readonly suppressions?: Suppressions | undefined;
}

/**
 * The effect of an event on subscriptions. `subscribe` decides (no status means yes), and `unsubscribe` says no for each address. A
 * status on any other event only fills an unknown one, since some shop plugins send a guest flag there.
 */
export function createApplySubscription(sources: SubscriptionSources): Effect {
  return {
    needs: "contact",
    apply(tx, event, identity, sender) {
      if (identity.contact === undefined) return NO_OUTCOME;
      let { contact } = identity;
      let visitorChanged = false;
      const evidence = evidenceIn(event, sender);
      const notes: string[] = STATUS_FIELDS.filter((name) => isUnread(event.extraFields, name)).map(
        (name) => `${name} says neither yes nor no and states nothing (accepted: 1, 0)`,
      );
      const phone = event.contact?.phone ?? "";
      for (const [channel, subscribed] of statementsOf(event, contact)) {
        const target =
          channel === "sms"
            ? contactOfNumber(tx, contact, phone, `contact:${event.eventId}:sms`, event.receivedAt)
            : contact;
        if (subscribed && event.actionType !== "subscribe" && isSuppressed(tx, target, channel, sources)) {
          notes.push(suppressedNote(channel));
          continue;
        }
        const outcome = mustConfirm(tx, event, target, channel, subscribed)
          ? waitForConfirmation(tx, event, identity, target, channel, sources, evidence)
          : stateSubscription(tx, event, identity, target, channel, subscribed, { ...sources, evidence });
        if (target.contactId === contact.contactId) contact = outcome.contact;
        visitorChanged ||= outcome.visitorChanged;
        notes.push(...outcome.notes);
      }
      if (event.contact?.smsSubscribed != null && phone === "" && contact.phone === "")
        notes.push("sms_subscriber_status has no effect: no phone is known");
      return { visitorChanged, notes };
    },
  };
}

function isSuppressed(
  tx: Transaction,
  contact: Contact,
  channel: Channel,
  { suppressions }: SubscriptionSources,
): boolean {
  const keys = keysOfAddresses(channel === "email" ? { ...contact, phone: "" } : { ...contact, email: "" });
  return keys.some((key) => suppressions?.find(tx, key) !== undefined);
}

function suppressedNote(channel: Channel): string {
  return `the ${channel} address is suppressed; only a later subscribe event ends that`;
}

/** What a form says of the consent it got. The sender's network is kept with it, and not for forms that say nothing. */
function evidenceIn({ extraFields }: Event, sender: PublicSender | undefined): Evidence | null {
  const { consent_text: wording = "", consent_place: place = "" } = extraFields;
  if (wording === "" && place === "") return null;
  return { wording, place, network: evidenceNetwork(sender?.network ?? "") };
}

const STATUS_FIELDS = ["subscriber_status", "sms_subscriber_status"] as const;

/** Whether the sender gave a status that says neither yes nor no: it is kept with the extra fields and states nothing. */
function isUnread(extraFields: Event["extraFields"], name: (typeof STATUS_FIELDS)[number]): boolean {
  return extraFields[name] !== undefined;
}

/** What the event says of each channel. */
function statementsOf({ contact: said, actionType, extraFields }: Event, contact: Contact): [Channel, boolean][] {
  if (said === null) return [];
  const statements: [Channel, boolean][] = [];
  const byEmail = emailKey(said.email) !== "";
  const byPhone = phoneKey(said.phone) !== "";
  if (actionType === "unsubscribe") {
    if (byEmail) statements.push(["email", false]);
    if (byPhone) statements.push(["sms", false]);
    return statements;
  }
  if (actionType === "subscribe") {
    const byStatus = said.emailSubscribed ?? (isUnread(extraFields, "subscriber_status") ? null : true);
    if (byEmail && byStatus !== null) statements.push(["email", byStatus]);
    if (said.smsSubscribed !== null && (byPhone || contact.phone !== "")) statements.push(["sms", said.smsSubscribed]);
    else if (byPhone && !byEmail && byStatus !== null && !isUnread(extraFields, "sms_subscriber_status"))
      statements.push(["sms", byStatus]);
    return statements;
  }
  if (said.emailSubscribed !== null && contact.email !== "") statements.push(["email", said.emailSubscribed]);
  if (said.smsSubscribed !== null && contact.phone !== "") statements.push(["sms", said.smsSubscribed]);
  return statements;
}

/** Whether a subscription waits until who reads the address's mail confirms it. */
function mustConfirm(
  tx: Transaction,
  { actionType }: Event,
  contact: Contact,
  channel: Channel,
  subscribed: boolean,
): boolean {
  const { status } = contact[`${channel}Subscription`];
  return (
    subscribed && status !== true && (actionType === "subscribe" || status === null) && tx.app()?.doubleOptIn === true
  );
}

type StatedOutcome = Outcome & { readonly contact: Contact };

function waitForConfirmation(
  tx: Transaction,
  { occurredAt: at, receivedAt: recordedAt, eventId: by, actionType: reason }: Event,
  { visitor }: Identity,
  contact: Contact,
  channel: Channel,
  { newId, newSalt }: SubscriptionSources,
  evidence: Evidence | null,
): StatedOutcome {
  const visitorKey = visitor?.keys[0] ?? "";
  const request = { channel, at, recordedAt, by, eventId: by, visitorKey, reason, evidence };
  if (requestConfirmation(tx, contact, request, newSalt))
    announceConfirmationWanted(tx, { contactId: contact.contactId, channel, at: recordedAt }, newId);
  return { contact, visitorChanged: false, notes: [`the ${channel} subscription waits for a confirmation by mail`] };
}

function stateSubscription(
  tx: Transaction,
  event: Event,
  { visitor }: Identity,
  before: Contact,
  channel: Channel,
  subscribed: boolean,
  sources: SubscriptionSources & { readonly evidence: Evidence | null },
): StatedOutcome {
  const { contact, effect } = state(tx, before, {
    channel,
    subscribed,
    at: event.occurredAt,
    by: event.eventId,
    recordedAt: event.receivedAt,
    source: "event",
    eventId: event.eventId,
    reason: event.actionType,
    onlyUnknown: event.actionType !== "subscribe" && event.actionType !== "unsubscribe",
    ...sources,
  });
  // A visitor who sees only statements since the link sees a repeated statement as new.
  const seesLess = visitor !== undefined && !isTrusted(tx.app() ?? OPEN, visitor);
  const notes: string[] = [];
  if (effect === "suppressed") notes.push(suppressedNote(channel));
  if (effect === "older") notes.push(`the ${channel} subscription has newer knowledge and stays as it is`);
  if (effect === "known" && contact[`${channel}Subscription`].status !== subscribed)
    notes.push(`the ${channel} subscription is known; only a subscribe event changes it`);
  return { contact, visitorChanged: effect === "changed" || (seesLess && effect === "confirmed"), notes };
}
