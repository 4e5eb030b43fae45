import type { Now } from "../domain/clock.js";
import type { Contact } from "../domain/contact.js";
import { check, checkAll, NotFound } from "../domain/errors.js";
import type { Evidence } from "../domain/evidence.js";
import type { VisitorIds } from "../domain/ids.js";
import { cleanId } from "../domain/ids.js";
import { emailKey, phoneKey } from "../parse/addresses.js";
import type { Change, UnitOfWork } from "../store/ports/unit-of-work.js";
import { contactOfNumber, takeContact } from "./contacts.js";
import { type NewSalt, state } from "./ledger/ledger.js";
import type { Suppressions } from "./suppressions.js";
import { joinVisitor, linkContact } from "./visitors.js";

export interface SubscriptionOrder {
  readonly email: string;
  readonly phone: string;
  /** Null leaves the status as it is. */
  readonly emailSubscribed: boolean | null;
  readonly smsSubscribed: boolean | null;
  readonly reason: string;
  readonly evidence?: Evidence | null;
  /** Null: no link. */
  readonly visitor: VisitorIds | null;
}

export type SetSubscription = (appId: string, order: SubscriptionOrder, change?: Change<Contact>) => Promise<Contact>;

const NO_PROFILE = { firstName: "", lastName: "", country: "", city: "", gender: "", birthDate: "", tags: [] };

/** Sets a contact's status as the shop's own statement; creates a missing contact. */
export function createSetSubscription(deps: {
  readonly unitOfWork: UnitOfWork;
  readonly now: Now;
  readonly newId: () => string;
  readonly newSalt: NewSalt;
  readonly suppressions?: Suppressions | undefined;
}): SetSubscription {
  return async (appId, order, change = (id, work) => deps.unitOfWork.run(id, work)) => {
    checkOrder(appId, order);
    const id = deps.newId();
    const at = deps.now();
    return change(appId, (tx) => {
      if (tx.app() === undefined) throw new NotFound("app");
      const taken = takeContact(tx, { ...NO_PROFILE, email: order.email, phone: order.phone }, `contact:${id}`, at);
      let contact = taken.contact!;
      const statements = [
        ["email", order.emailSubscribed],
        ["sms", order.smsSubscribed],
      ] as const;
      for (const [channel, subscribed] of statements) {
        if (subscribed === null) continue;
        const statement = {
          subscribed,
          at,
          by: id,
          recordedAt: at,
          eventId: "",
          reason: order.reason,
          evidence: order.evidence,
          newSalt: deps.newSalt,
          suppressions: deps.suppressions,
          newId: deps.newId,
        };
        const target = channel === "sms" ? contactOfNumber(tx, contact, order.phone, `contact:${id}:sms`, at) : contact;
        const stated = state(tx, target, { ...statement, channel, source: "rpc", onlyUnknown: false }).contact;
        if (stated.contactId === contact.contactId) contact = stated;
      }
      if (order.visitor !== null) {
        const saying = { at, by: id, recordedAt: at, admission: undefined };
        const { visitor } = joinVisitor(tx, order.visitor, id, saying);
        if (visitor !== undefined) linkContact(tx, visitor, contact.contactId, saying);
      }
      return contact;
    });
  };
}

function checkOrder(appId: string, order: SubscriptionOrder): void {
  const { email, phone, emailSubscribed, smsSubscribed, reason, visitor } = order;
  const saysSomething = emailSubscribed !== null || smsSubscribed !== null || visitor !== null;
  const hasEmail = email !== "" || (phone !== "" && emailSubscribed === null);
  checkAll(
    check(appId !== "", "app_id", "missing"),
    check(hasEmail, "email", "missing"),
    check(email === "" || emailKey(email) !== "", "email", "invalid", "an e-mail address"),
    check(phone === "" || phoneKey(phone) !== "", "phone", "invalid", "5 to 20 digits, with + when international"),
    check(smsSubscribed === null || phone !== "", "phone", "missing"),
    check(saysSomething, "email_state", "missing"),
    check(reason === "" || cleanId(reason) !== "", "reason", "invalid", "at most 255 bytes without control characters"),
  );
}
