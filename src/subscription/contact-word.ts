import type { Now } from "../domain/clock.js";
import type { ChangeSource, Channel, Contact } from "../domain/contact.js";
import { NotFound } from "../domain/errors.js";
import type { VisitorIds } from "../domain/visitor.js";
import type { UnitOfWork } from "../ports/unit-of-work.js";
import { type NewSalt, state } from "./ledger.js";
import { joinVisitor, linkContact } from "./visitors.js";

/** What whoever reads the mail to an address said by a link in it. */
export interface ContactWord {
  readonly contactId: string;
  readonly channel: Channel;
  readonly subscribed: boolean;
  readonly source: Extract<ChangeSource, "confirmation" | "unsubscribe">;
  readonly reason: string;
  /** The device the link was opened on; its link to the contact is proven then. Null where none is known. */
  readonly visitor: VisitorIds | null;
}

/** Rejects with NotFound("app") and NotFound("contact"). Answers the contact as it is then. */
export type TakeContactWord = (appId: string, word: ContactWord) => Promise<Contact>;

/** Takes a confirmation or an unsubscription by a link whose token was checked: nobody else can have said it. */
export function createContactWord(deps: {
  readonly unitOfWork: UnitOfWork;
  readonly now: Now;
  readonly newId: () => string;
  readonly newSalt: NewSalt;
}): TakeContactWord {
  return async (appId, { contactId, visitor: ids, ...word }) => {
    const by = deps.newId();
    const at = deps.now();
    return deps.unitOfWork.run(appId, (tx) => {
      if (tx.app() === undefined) throw new NotFound("app");
      const contact = tx.contacts.get(contactId);
      if (contact === undefined) throw new NotFound("contact");
      const statement = { ...word, at, by, recordedAt: at, eventId: "", onlyUnknown: false, newSalt: deps.newSalt };
      const said = state(tx, contact, statement);
      if (ids !== null) {
        const saying = { at, by, recordedAt: at, admission: undefined };
        const { visitor } = joinVisitor(tx, ids, by, saying);
        if (visitor !== undefined) linkContact(tx, visitor, contactId, saying);
      }
      return said.contact;
    });
  };
}
