import type { Now } from "../domain/clock.js";
import { type Contact, emailKey, phoneKey } from "../domain/contact.js";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { VisitorIds } from "../domain/ids.js";
import { cleanId } from "../domain/ids.js";
import type { Change, UnitOfWork } from "../store/ports/unit-of-work.js";
import { takeContact } from "./contacts.js";
import { type NewSalt, state } from "./ledger/ledger.js";
import { joinVisitor, linkContact } from "./visitors.js";

export interface SubscriptionOrder {
  readonly email: string;
  readonly phone: string;
  /** Null leaves the status as it is. */
  readonly emailSubscribed: boolean | null;
  readonly smsSubscribed: boolean | null;
  readonly reason: string;
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
}): SetSubscription {
  return async (appId, order, change = (id, work) => deps.unitOfWork.run(id, work)) => {
    if (appId === "") throw new InvalidArgument("app_id", "missing");
    if (order.email === "" && order.phone === "") throw new InvalidArgument("email", "missing");
    if (order.email !== "" && emailKey(order.email) === "")
      throw new InvalidArgument("email", "invalid", "an e-mail address");
    if (order.phone !== "" && phoneKey(order.phone) === "")
      throw new InvalidArgument("phone", "invalid", "5 to 20 digits, with + when international");
    if (order.emailSubscribed !== null && order.email === "") throw new InvalidArgument("email", "missing");
    if (order.smsSubscribed !== null && order.phone === "") throw new InvalidArgument("phone", "missing");
    if (order.reason !== "" && cleanId(order.reason) === "")
      throw new InvalidArgument("reason", "invalid", "at most 255 bytes without control characters");
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
          newSalt: deps.newSalt,
          newId: deps.newId,
        };
        contact = state(tx, contact, { ...statement, channel, source: "rpc", onlyUnknown: false }).contact;
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
