import { type Channel, emailKey, phoneKey } from "../domain/contact.js";
import { isTrusted } from "../domain/visitor.js";
import { type Effect, NO_OUTCOME } from "../intake/effect.js";
import { askConfirmation } from "./confirmation.js";
import { announceConfirmationWanted } from "./hooks/announce.js";
import { type NewSalt, state } from "./ledger/ledger.js";

const OPEN = { linkTrust: "open" } as const;

/**
 * The effect of an event on subscriptions. `subscribe` decides (no status means yes). A status on any other event only
 * fills an unknown one, since some shop plugins send a guest flag there.
 */
export function createApplySubscription({
  newSalt,
  newId,
}: {
  readonly newSalt: NewSalt;
  readonly newId: () => string;
}): Effect {
  return (tx, event, identity) => {
    const said = event.contact;
    if (said === null || identity.contact === undefined) return NO_OUTCOME;
    const subscribe = event.actionType === "subscribe";
    const byEmail = emailKey(said.email) !== "";
    const byPhone = phoneKey(said.phone) !== "";
    const statements: [Channel, boolean][] = [];
    if (subscribe) {
      if (byEmail) statements.push(["email", said.emailSubscribed ?? true]);
      if (byPhone && said.smsSubscribed !== null) statements.push(["sms", said.smsSubscribed]);
      else if (byPhone && !byEmail) statements.push(["sms", said.emailSubscribed ?? true]);
    } else {
      if (said.emailSubscribed !== null && identity.contact.email !== "")
        statements.push(["email", said.emailSubscribed]);
      if (said.smsSubscribed !== null && identity.contact.phone !== "") statements.push(["sms", said.smsSubscribed]);
    }

    let contact = identity.contact;
    let visitorChanged = false;
    const notes: string[] = [];
    for (const [channel, subscribed] of statements) {
      const { status } = contact[`${channel}Subscription`];
      if (subscribed && status !== true && (subscribe || status === null) && tx.app()?.doubleOptIn) {
        const { occurredAt: at, receivedAt: recordedAt, eventId: by } = event;
        const visitorKey = identity.visitor?.keys[0] ?? "";
        if (askConfirmation(tx, contact, { channel, at, recordedAt, by, eventId: by, visitorKey }))
          announceConfirmationWanted(tx, { contactId: contact.contactId, channel, at: event.receivedAt }, newId);
        notes.push(`the ${channel} subscription waits for a confirmation by mail`);
        continue;
      }
      const result = state(tx, contact, {
        channel,
        subscribed,
        at: event.occurredAt,
        by: event.eventId,
        recordedAt: event.receivedAt,
        source: "event",
        eventId: event.eventId,
        reason: event.actionType,
        onlyUnknown: !subscribe,
        newSalt,
        newId,
      });
      contact = result.contact;
      // A visitor who sees only statements since the link sees a repeated statement as new.
      const seesLess = identity.visitor !== undefined && !isTrusted(tx.app() ?? OPEN, identity.visitor);
      visitorChanged ||= result.effect === "changed" || (seesLess && result.effect === "confirmed");
      if (result.effect === "older") notes.push(`the ${channel} subscription has newer knowledge and stays as it is`);
      if (result.effect === "known" && contact[`${channel}Subscription`].status !== subscribed)
        notes.push(`the ${channel} subscription is known; only a subscribe event changes it`);
    }
    return { visitorChanged, notes };
  };
}
