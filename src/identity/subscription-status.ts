import type { App } from "../domain/app.js";
import type { Subscription, SubscriptionStatus } from "../domain/contact.js";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import { type VisitorIds, visitorKeys } from "../domain/ids.js";
import { isTrusted, type Visitor } from "../domain/visitor.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { ContactStore } from "../store/ports/contact-store.js";
import type { VisitorStore } from "../store/ports/visitor-store.js";

export interface VisitorStatus {
  /** Linked to a contact with an e-mail address. */
  readonly identified: boolean;
  readonly email: SubscriptionStatus;
  readonly sms: SubscriptionStatus;
}

const ANONYMOUS: VisitorStatus = { identified: false, email: null, sms: null };

function shown(app: App, visitor: Visitor, { status, recordedAt }: Subscription): SubscriptionStatus {
  return isTrusted(app, visitor) || recordedAt >= visitor.linkedSince ? status : null;
}

export type GetStatus = (appId: string, ids: VisitorIds) => Promise<VisitorStatus>;

/** Returns whether a visitor is known and subscribed. An unknown visitor is an answer, not an error. */
export function createGetStatus(deps: {
  readonly apps: Pick<AppStore, "get">;
  readonly visitors: VisitorStore;
  readonly contacts: Pick<ContactStore, "get">;
}): GetStatus {
  return async (appId, ids) => {
    if (appId === "") throw new InvalidArgument("app_id", "missing");
    const app = await deps.apps.get(appId);
    if (app === undefined) throw new NotFound("app");
    if (ids.clientId === "" && ids.fingerprintId === "" && ids.userId === "")
      throw new InvalidArgument("visitor", "missing");
    const visitors = await deps.visitors.find(appId, visitorKeys(ids));
    for (const visitor of visitors) {
      if (visitor.contactId === "") continue;
      const contact = await deps.contacts.get(appId, visitor.contactId);
      if (contact === undefined) continue;
      // A visitor without an e-mail is not identified; part 3 of the interface has no state for an unidentified
      // subscriber.
      const identified = contact.email !== "";
      return {
        identified,
        email: identified ? shown(app, visitor, contact.emailSubscription) : null,
        sms: shown(app, visitor, contact.smsSubscription),
      };
    }
    return ANONYMOUS;
  };
}
