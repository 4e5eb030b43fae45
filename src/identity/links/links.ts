import { earlierEmailKey, earlierPhoneKey } from "../../domain/address-keys.js";
import type { Now } from "../../domain/clock.js";
import type { Channel, Contact } from "../../domain/contact.js";
import { InvalidArgument, NotFound } from "../../domain/errors.js";
import { confirmationKey } from "../../domain/hook.js";
import type { VisitorIds } from "../../domain/ids.js";
import type { Seal } from "../../domain/secret-encryption.js";
import { emailKey, phoneKey } from "../../parse/addresses.js";
import type { Change, Transaction, UnitOfWork } from "../../store/ports/unit-of-work.js";
import { type NewSalt, state } from "../ledger/ledger.js";
import { requestConfirmation } from "../request-confirmation.js";
import type { Suppressions } from "../suppressions.js";
import { joinVisitor, linkContact } from "../visitors.js";
import { knownLinkKey, linkKeyOf } from "./link-key.js";
import { type Link, type LinkPurpose, readLinkToken, writeLinkToken } from "./link-token.js";

const DAY_MS = 86_400_000;

/** Default lifetimes: a confirmation is needed soon, but a link in an old mail must still unsubscribe. */
const LINK_LIFETIME_MS: Readonly<Record<LinkPurpose, number>> = {
  confirm: 7 * DAY_MS,
  unsubscribe: 730 * DAY_MS,
};

export const MAX_LINK_LIFETIME_MS = 3660 * DAY_MS;

export interface LinkOrder {
  /** Exactly one of the three names the contact; the others are "". */
  readonly email: string;
  readonly phone: string;
  readonly contactId: string;
  readonly purpose: LinkPurpose;
  readonly channel: Channel;
  /** Milliseconds; 0 for `LINK_LIFETIME_MS`. */
  readonly validForMs: number;
}

export interface MadeLink {
  readonly token: string;
  readonly validUntil: number;
}

/** The effect that following a link would have, or has had. */
export interface LinkView {
  readonly appId: string;
  readonly purpose: LinkPurpose;
  readonly channel: Channel;
  /** The effect has happened already. */
  readonly done: boolean;
}

export interface Links {
  /**
   * Makes a link to an address of a contact. A confirmation link makes the subscription pending. Rejects with
   * NotFound("app" or "contact"), or InvalidArgument when the contact has no such address.
   */
  make(appId: string, order: LinkOrder, change?: Change<MadeLink>): Promise<MadeLink>;
  /** Within a work: the link for a pending subscription; undefined when it is no longer pending. */
  confirming(tx: Transaction, of: { readonly contactId: string; readonly channel: Channel }): MadeLink | undefined;
  /** Changes nothing. Rejects with NotFound("link") for one that is invalid, has expired, or has no effect any more. */
  look(token: string): Promise<LinkView>;
  /**
   * Carries out the link's purpose; a second time it has no effect. A confirmation proves that the visitor who follows
   * it is the contact. Rejects as `look` does.
   */
  follow(token: string, visitor: VisitorIds | null, change?: Change<LinkView>): Promise<LinkView>;
}

export function createLinks(deps: {
  readonly unitOfWork: UnitOfWork;
  readonly seal: Seal;
  readonly now: Now;
  readonly newId: () => string;
  readonly newSalt: NewSalt;
  /** Returns 64 random hex digits. */
  readonly newKey: () => string;
  readonly suppressions?: Suppressions | undefined;
}): Links {
  const { unitOfWork, seal, now, newId, newSalt, suppressions } = deps;

  /** Runs `act` for the contact of a valid link. */
  const withLink = async <T>(
    token: string,
    act: (tx: Transaction, found: FoundLink) => T,
    change: Change<T> = (appId, work) => unitOfWork.run(appId, work),
  ): Promise<T> => {
    const link = readLinkToken(token);
    if (link === undefined) throw new NotFound("link");
    return change(link.appId, (tx) => {
      const key = knownLinkKey(tx, seal);
      const contact = tx.contacts.get(tx.contactKeys.get(`i:${link.contactId}`) ?? link.contactId);
      if (tx.app() === undefined || key === undefined || contact === undefined) throw new NotFound("link");
      const addresses = addressesOf(contact, link);
      if (!addresses.some((address) => link.isGood(key, address, now()))) throw new NotFound("link");
      return act(tx, { ...link, contact });
    });
  };

  return {
    make: async (appId, order, change = (id, work) => unitOfWork.run(id, work)) => {
      const id = newId();
      const newKey = deps.newKey(); // the work may run more than once
      const at = now();
      return change(appId, (tx) => {
        if (tx.app() === undefined) throw new NotFound("app");
        const contact = findContact(tx, order);
        const address = addressOf(contact, order.channel);
        if (address === "") throw new InvalidArgument("channel", "invalid", "one for which the contact has an address");
        if (order.purpose === "confirm") {
          const wish = { channel: order.channel, at, recordedAt: at, by: id, eventId: "", visitorKey: "" };
          requestConfirmation(tx, contact, { ...wish, reason: "", evidence: null }, newSalt);
        }
        const validUntil = at + (order.validForMs || LINK_LIFETIME_MS[order.purpose]);
        return write(tx, contact, order, validUntil, linkKeyOf(tx, seal, newKey));
      });
    },

    confirming: (tx, { contactId, channel }) => {
      const contact = tx.contacts.get(contactId);
      const waits = tx.confirmations.get(confirmationKey(contactId, channel)) !== undefined;
      if (contact === undefined || !waits) return undefined;
      const key = linkKeyOf(tx, seal, deps.newKey());
      return write(tx, contact, { purpose: "confirm", channel }, now() + LINK_LIFETIME_MS.confirm, key);
    },

    look: (token) => withLink(token, (tx, found) => viewOf(tx, found)),

    follow: (token, ids, change) => {
      const by = newId();
      const at = now();
      const follow = (tx: Transaction, found: FoundLink): LinkView => {
        const view = viewOf(tx, found);
        const { contact, channel, purpose } = found;
        const proof = { at, by, recordedAt: at, admission: undefined };
        const asked = tx.confirmations.get(confirmationKey(contact.contactId, channel));
        if (!view.done) {
          const change = {
            channel,
            subscribed: purpose === "confirm",
            at,
            by,
            recordedAt: at,
            onlyUnknown: false,
            newSalt,
            newId,
            suppressions,
          };
          const source = purpose === "confirm" ? "confirmation" : "unsubscribe";
          state(tx, contact, { ...change, source, eventId: asked?.eventId ?? "", reason: "" });
        }
        // Mails are forwarded with their unsubscribe links, so following one proves nothing.
        if (purpose !== "confirm") return { ...view, done: true };
        // The visitor who asked for the mail is not proven: a stranger may have asked with somebody else's address.
        const follower = ids === null ? undefined : joinVisitor(tx, ids, by, proof).visitor;
        if (follower !== undefined) linkContact(tx, follower, contact.contactId, proof);
        return { ...view, done: true };
      };
      return withLink(token, follow, change);
    },
  };
}

/** The contact still has the address of the link. */
function write(
  tx: Transaction,
  contact: Contact,
  { purpose, channel }: Pick<LinkOrder, "purpose" | "channel">,
  validUntil: number,
  key: Buffer,
): MadeLink {
  const link = { appId: tx.appId, purpose, channel, contactId: contact.contactId, validUntil };
  return { token: writeLinkToken(key, link, addressOf(contact, channel)), validUntil };
}

interface FoundLink {
  readonly appId: string;
  readonly purpose: LinkPurpose;
  readonly channel: Channel;
  readonly contact: Contact;
}

/** A confirmation is void when none is pending, unless its effect has happened already. */
function viewOf(tx: Transaction, { appId, purpose, channel, contact }: FoundLink): LinkView {
  const { status } = contact[`${channel}Subscription`];
  const done = status === (purpose === "confirm");
  const waits = tx.confirmations.get(confirmationKey(contact.contactId, channel)) !== undefined;
  if (purpose === "confirm" && !done && !waits) throw new NotFound("link");
  return { appId, purpose, channel, done };
}

function findContact(tx: Transaction, { email, phone, contactId }: LinkOrder): Contact {
  const key = email !== "" ? `e:${emailKey(email)}` : phone !== "" ? `p:${phoneKey(phone)}` : "";
  const id = key === "" ? (tx.contactKeys.get(`i:${contactId}`) ?? contactId) : tx.contactKeys.get(key);
  const contact = id === undefined ? undefined : tx.contacts.get(id);
  if (contact === undefined) throw new NotFound("contact");
  return contact;
}

function addressOf(contact: Pick<Contact, "email" | "phone">, channel: Channel): string {
  return channel === "email" ? emailKey(contact.email) : phoneKey(contact.phone);
}

/** The keys that the address of a link has, or had in versions up to format 9. */
function addressesOf(contact: Contact, { contactId, channel }: Pick<Link, "contactId" | "channel">): readonly string[] {
  const named = contact.former.find((one) => one.contactId === contactId) ?? contact;
  const earlier = channel === "email" ? earlierEmailKey(named.email) : earlierPhoneKey(named.phone);
  return [addressOf(named, channel), earlier].filter((address) => address !== "");
}
