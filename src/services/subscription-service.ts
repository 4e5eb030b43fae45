import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type Contact,
  emailKey,
  phoneKey,
  type SubscriptionChange,
  type SubscriptionStatus,
} from "../domain/contact.js";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import {
  type ContactSchema,
  type SubscriptionChangeSchema,
  SubscriptionChannel,
  SubscriptionState,
} from "../gen/aisle/v1/subscription_pb.js";
import type { SubscriptionService } from "../gen/aisle/v1/subscription_service_pb.js";
import type { AppStore } from "../ports/app-store.js";
import type { ContactStore } from "../ports/contact-store.js";
import type { SetSubscription } from "../subscription/set-subscription.js";
import type { GetStatus } from "../subscription/status.js";
import { guarded, type ReportInternal } from "./errors.js";
import { timestampOf, visitorIdsOf } from "./messages.js";
import { page, pageSize, readPageToken } from "./paging.js";
import { requireApp } from "./require-app.js";

export interface SubscriptionServiceDependencies {
  readonly getStatus: GetStatus;
  readonly setSubscription: SetSubscription;
  readonly apps: Pick<AppStore, "get">;
  readonly contacts: ContactStore;
  readonly report: ReportInternal;
}

export function createSubscriptionService(
  deps: SubscriptionServiceDependencies,
): ServiceImpl<typeof SubscriptionService> {
  const { report } = deps;
  return {
    getStatus: guarded(report, async (request) => {
      const status = await deps.getStatus(request.appId, visitorIdsOf(request.visitor));
      return { identified: status.identified, emailState: stateOf(status.email), smsState: stateOf(status.sms) };
    }),

    setSubscription: guarded(report, async (request) => {
      const contact = await deps.setSubscription(request.appId, {
        email: request.email,
        phone: request.phone,
        emailSubscribed: statusOf(request.emailState, "email_state"),
        smsSubscribed: statusOf(request.smsState, "sms_state"),
        reason: request.reason,
        visitor: request.visitor === undefined ? null : visitorIdsOf(request.visitor),
      });
      return { contact: contactMessage(contact) };
    }),

    getContact: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      const named = [request.email, request.phone, request.contactId].filter((text) => text !== "");
      if (named.length !== 1)
        throw new InvalidArgument(
          "email",
          named.length === 0 ? "missing" : "invalid",
          "one of email, phone, contact_id",
        );
      const contact = await find(deps.contacts, request);
      if (contact === undefined) throw new NotFound("contact");
      return { contact: contactMessage(contact) };
    }),

    listChanges: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      const size = pageSize(request.pageSize);
      const after = readPageToken(request.pageToken);
      const found = await deps.contacts.changes(request.appId, request.contactId, after, size + 1);
      const [changes, nextPageToken] = page(found, size, (change) => change.changeId);
      return { changes: changes.map(changeMessage), nextPageToken };
    }),
  };
}

async function find(
  contacts: ContactStore,
  by: { appId: string; email: string; phone: string; contactId: string },
): Promise<Contact | undefined> {
  if (by.contactId !== "") return contacts.get(by.appId, by.contactId);
  const key = by.email !== "" ? emailKey(by.email) && `e:${emailKey(by.email)}` : `p:${phoneKey(by.phone)}`;
  if (key === "") throw new InvalidArgument("email", "invalid", "an e-mail address");
  if (key === "p:") throw new InvalidArgument("phone", "invalid", "5 to 20 digits, with + when international");
  return contacts.find(by.appId, key);
}

function stateOf(status: SubscriptionStatus): SubscriptionState {
  if (status === null) return SubscriptionState.UNKNOWN;
  return status ? SubscriptionState.SUBSCRIBED : SubscriptionState.UNSUBSCRIBED;
}

function statusOf(state: SubscriptionState, field: string): SubscriptionStatus {
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
    createdAt: timestampOf(contact.createdAt),
  };
}

export function changeMessage(change: SubscriptionChange): MessageInitShape<typeof SubscriptionChangeSchema> {
  return {
    changeId: change.changeId,
    contactId: change.contactId,
    channel: change.channel === "email" ? SubscriptionChannel.EMAIL : SubscriptionChannel.SMS,
    oldState: stateOf(change.from),
    newState: stateOf(change.to),
    occurredAt: timestampOf(change.occurredAt),
    source: change.source,
    eventId: change.eventId,
    reason: change.reason,
  };
}
