import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { Contact } from "../domain/contact.js";
import { check, checkAll, InvalidArgument, NotFound } from "../domain/errors.js";
import { visitorKeys } from "../domain/ids.js";
import { ContactSchema } from "../gen/aisle/v1/contact_pb.js";
import { SubscriptionChangeSchema } from "../gen/aisle/v1/ledger_pb.js";
import { SubscriptionState } from "../gen/aisle/v1/subscription_pb.js";
import { SubscriptionService } from "../gen/aisle/v1/subscription_service_pb.js";
import type { ImportContacts, ListedContact } from "../identity/import-contacts.js";
import type { VerifyLedger } from "../identity/ledger/verify-ledger.js";
import type { SetSubscription } from "../identity/set-subscription.js";
import type { GetStatus } from "../identity/subscription-status.js";
import { emailKey, phoneKey } from "../parse/addresses.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { ContactStore } from "../store/ports/contact-store.js";
import type { VisitorStore } from "../store/ports/visitor-store.js";
import { endOfWatch } from "./calls/draining.js";
import { visitorIdsOf } from "./common-messages.js";
import { guarded, guardedStream, type ReportInternal } from "./errors/errors.js";
import { type LinkHandlersDependencies, linkHandlers } from "./link-handlers.js";
import { namedContact } from "./named-contact.js";
import { readPage } from "./paging.js";
import { BulkHead, createRefusals, MAX_BATCH } from "./refused-items.js";
import { requireApp } from "./require-app.js";
import {
  changeMessage,
  contactMessage,
  evidenceIn,
  ledgerReportMessage,
  listedContact,
  stateOf,
  statusOf,
  visitorMessage,
} from "./subscription-messages.js";
import { type SuppressionHandlersDependencies, suppressionHandlers } from "./suppression-handlers.js";
import type { WatchLimit } from "./watch-limit.js";
import { watchSubscriptions } from "./watch-subscriptions.js";

export interface SubscriptionServiceDependencies extends LinkHandlersDependencies, SuppressionHandlersDependencies {
  readonly getStatus: GetStatus;
  readonly setSubscription: SetSubscription;
  readonly apps: Pick<AppStore, "get">;
  readonly contacts: ContactStore;
  readonly visitors: Pick<VisitorStore, "find" | "get">;
  readonly watches: WatchLimit;
  readonly verifyLedger: VerifyLedger;
  readonly importContacts: ImportContacts;
  /** The same over works that are rolled back. */
  readonly tried: { readonly importContacts: ImportContacts };
  readonly report: ReportInternal;
}

export function createSubscriptionService(
  deps: SubscriptionServiceDependencies,
): ServiceImpl<typeof SubscriptionService> {
  const { mutation, report } = deps;
  return {
    getStatus: guarded(report, async (request) => {
      const status = await deps.getStatus(request.appId, visitorIdsOf(request.visitor));
      return { identified: status.identified, emailState: stateOf(status.email), smsState: stateOf(status.sms) };
    }),

    setSubscription: mutation(SubscriptionService.method.setSubscription, async (request, once) => {
      const order = {
        email: request.email,
        phone: request.phone,
        emailSubscribed: statusOf(request.emailState, "email_state"),
        smsSubscribed: statusOf(request.smsState, "sms_state"),
        reason: request.reason,
        evidence: evidenceIn(request.evidence),
        visitor: request.visitor === undefined ? null : visitorIdsOf(request.visitor),
      };
      let contact: Contact | undefined;
      // The kept answer names the contact by its id alone, as an erasure does not reach it.
      const answer = ({ contactId }: Contact) => ({ contact: { contactId } });
      const kept = await once.change(answer, async (change) => {
        contact = await deps.setSubscription(request.appId, order, change);
        return contact;
      });
      contact ??= await deps.contacts.get(request.appId, kept.contact?.contactId ?? "");
      if (contact === undefined) throw new NotFound("contact");
      const isMade = !request.validateOnly || (await deps.contacts.get(request.appId, contact.contactId)) !== undefined;
      return { contact: contactMessage(isMade ? contact : { ...contact, contactId: "" }) };
    }),

    getContact: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      const contact = await find(deps.contacts, request.appId, namedContact(request));
      if (contact === undefined) throw new NotFound("contact");
      const known = await deps.visitors.get(request.appId, contact.visitorIds);
      const visitors = known.filter(({ contactId }) => contactId === contact.contactId).map(visitorMessage);
      return { contact: contactMessage(contact), visitors };
    }),

    listContacts: guarded(report, async (request) => {
      const { appId } = await requireApp(deps.apps, request.appId);
      const { emailState, smsState } = request;
      checkAll(
        check(emailState in SubscriptionState, "email_state", "invalid", "a value of SubscriptionState"),
        check(smsState in SubscriptionState, "sms_state", "invalid", "a value of SubscriptionState"),
      );
      const isAny = emailState === SubscriptionState.UNSPECIFIED && smsState === SubscriptionState.UNSPECIFIED;
      const has = (state: SubscriptionState, { status }: Contact["emailSubscription"]) =>
        state === SubscriptionState.UNSPECIFIED || state === stateOf(status);
      const { items, nextPageToken } = await readPage(SubscriptionService.method.listContacts, request, {
        schema: ContactSchema,
        read: (after, limit) => deps.contacts.list(appId, after, limit),
        keyOf: ({ contactId }) => contactId,
        message: contactMessage,
        matches: isAny
          ? undefined
          : (one) => has(emailState, one.emailSubscription) && has(smsState, one.smsSubscription),
      });
      return { contacts: items, nextPageToken };
    }),

    getVisitor: guarded(report, async (request) => {
      const { appId } = await requireApp(deps.apps, request.appId);
      const keys = visitorKeys(visitorIdsOf(request.visitor));
      if (keys.length === 0) throw new InvalidArgument("visitor", "missing");
      const [visitor] = await deps.visitors.find(appId, keys);
      if (visitor === undefined) throw new NotFound("visitor");
      return { visitor: visitorMessage(visitor) };
    }),

    ...linkHandlers(deps),
    ...suppressionHandlers(deps),

    listChanges: guarded(report, async (request) => {
      const { appId } = await requireApp(deps.apps, request.appId);
      const { items, nextPageToken } = await readPage(SubscriptionService.method.listChanges, request, {
        schema: SubscriptionChangeSchema,
        read: (after, limit) => deps.contacts.changes(appId, request.contactId, after, limit),
        keyOf: ({ changeId }) => changeId,
        message: changeMessage,
      });
      return { changes: items, nextPageToken };
    }),

    watchSubscriptions: guardedStream(report, (request, context: HandlerContext) =>
      watchSubscriptions(deps, request, endOfWatch(context)),
    ),

    verifyLedger: guardedStream(report, async function* (request) {
      const { appId, anchorChangeId: changeId, anchorHash: hash } = request;
      if (appId === "") throw new InvalidArgument("app_id", "missing");
      if ((changeId === "") !== (hash === ""))
        throw new InvalidArgument(changeId === "" ? "anchor_change_id" : "anchor_hash", "missing");
      const anchor = changeId === "" ? undefined : { changeId, hash };
      for await (const found of deps.verifyLedger(appId, anchor)) yield ledgerReportMessage(found);
    }),

    importContacts: guarded(report, async (requests) => {
      const refusals = createRefusals();
      const head = new BulkHead();
      let index = 0;
      let accepted = 0;
      let keptUnsubscribed = 0;
      let suppressed = 0;
      for await (const request of requests) {
        const { contacts } = request;
        head.read(request);
        if (contacts.length > MAX_BATCH)
          throw new InvalidArgument("contacts", "invalid", `at most ${MAX_BATCH} a batch`);
        const listed: ListedContact[] = [];
        const places: number[] = [];
        for (const contact of contacts) {
          const place = index++;
          try {
            listed.push(listedContact(contact));
            places.push(place);
          } catch (error) {
            refusals.add(place, error);
          }
        }
        const { importContacts } = head.isTried ? deps.tried : deps;
        const imported = await importContacts(head.appId, listed);
        for (const item of imported.refused) refusals.add(places[item.index]!, item.error);
        accepted += listed.length - imported.refused.length - imported.suppressed;
        keptUnsubscribed += imported.keptUnsubscribed;
        suppressed += imported.suppressed;
      }
      head.mustHaveBatch();
      return { accepted, keptUnsubscribed, suppressed, ...refusals.answer() };
    }),
  };
}

async function find(
  contacts: ContactStore,
  appId: string,
  by: { email: string; phone: string; contactId: string },
): Promise<Contact | undefined> {
  if (by.contactId !== "") return contacts.get(appId, by.contactId);
  const key = by.email !== "" ? emailKey(by.email) && `e:${emailKey(by.email)}` : `p:${phoneKey(by.phone)}`;
  if (key === "") throw new InvalidArgument("email", "invalid", "an e-mail address");
  if (key === "p:") throw new InvalidArgument("phone", "invalid", "5 to 20 digits, with + when international");
  return contacts.find(appId, key);
}
