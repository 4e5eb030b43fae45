import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ContextValues } from "@connectrpc/connect";
import type { Contact } from "../domain/contact.js";
import { check, checkAll, InvalidArgument } from "../domain/errors.js";
import {
  type ContactRecommendationSchema,
  NoRecommendation,
  type RecommendForContactsRequest,
  type RecommendForContactsResponseSchema,
  type RecommendRequest,
  type RecommendResponseSchema,
} from "../gen/aisle/v1/recommendation_service_pb.js";
import { SubscriptionChannel } from "../gen/aisle/v1/subscription_pb.js";
import { emailKey, phoneKey } from "../parse/addresses.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { ContactStore } from "../store/ports/contact-store.js";
import { type ReportInternal, reported, statusOf } from "./errors/errors.js";
import { inNamesOfCaller } from "./json/json-names.js";
import { requireApp } from "./require-app.js";

/** Contacts of one call. */
const MAX_CONTACTS = 100_000;
/** Results of one message, and contacts of one read. */
const BATCH = 100;

export interface ContactRecommendationDependencies {
  readonly apps: Pick<AppStore, "get">;
  readonly contacts: Pick<ContactStore, "get" | "find" | "list">;
  readonly report: ReportInternal;
}

type Result = MessageInitShape<typeof ContactRecommendationSchema>;

/** Answers for each contact in turn; a slow reader slows it. */
export async function* recommendForContacts(
  deps: ContactRecommendationDependencies,
  sent: RecommendForContactsRequest,
  values: ContextValues,
  answer: (request: RecommendRequest, contactId: string) => Promise<MessageInitShape<typeof RecommendResponseSchema>>,
): AsyncGenerator<MessageInitShape<typeof RecommendForContactsResponseSchema>> {
  const { request, contacts, includeUnsubscribed } = sent;
  if (request === undefined) throw new InvalidArgument("request", "missing");
  const { appId, visitor } = request;
  checkAll(
    check(visitor === undefined, "request.visitor", "invalid", "none: `contacts` says for whom"),
    check(contacts.length <= MAX_CONTACTS, "contacts", "invalid", `at most ${MAX_CONTACTS}`),
    check(sent.channel in SubscriptionChannel, "channel", "invalid", "EMAIL or SMS"),
  );
  await requireApp(deps.apps, appId);
  const isSubscribed = ({ emailSubscription, smsSubscription }: Contact) =>
    (sent.channel === SubscriptionChannel.SMS ? smsSubscription : emailSubscription).status === true;

  const resultFor = async (named: string, contact: Contact | undefined): Promise<Result> => {
    const contactId = contact?.contactId ?? "";
    const omitted = (value: NoRecommendation): Result => ({
      contact: named,
      contactId,
      result: { case: "omitted", value },
    });
    if (contact === undefined) return omitted(NoRecommendation.UNKNOWN);
    if (!includeUnsubscribed && !isSubscribed(contact)) return omitted(NoRecommendation.NOT_SUBSCRIBED);
    try {
      const value = await answer(request, contactId);
      return { contact: named, contactId, result: { case: "response", value } };
    } catch (error) {
      const inTheirNames = inNamesOfCaller(reported(deps.report, error), values);
      return { contact: named, contactId, result: { case: "error", value: statusOf(inTheirNames) } };
    }
  };

  if (contacts.length === 0) {
    const isWanted = (contact: Contact) => includeUnsubscribed || isSubscribed(contact);
    for (let after = "", atEnd = false; !atEnd; ) {
      const found = await deps.contacts.list(appId, after, BATCH);
      const results: Result[] = [];
      for (const contact of found.filter(isWanted)) results.push(await resultFor(contact.contactId, contact));
      if (results.length > 0) yield { results };
      after = found.at(-1)?.contactId ?? "";
      atEnd = found.length < BATCH;
    }
  }
  for (let from = 0; from < contacts.length; from += BATCH) {
    const results: Result[] = [];
    for (const named of contacts.slice(from, from + BATCH))
      results.push(await resultFor(named, await find(deps.contacts, appId, named)));
    yield { results };
  }
}

/** By address, by id, or by phone number. */
async function find(
  contacts: ContactRecommendationDependencies["contacts"],
  appId: string,
  named: string,
): Promise<Contact | undefined> {
  const email = emailKey(named);
  if (email !== "") return contacts.find(appId, `e:${email}`);
  const byId = named === "" ? undefined : await contacts.get(appId, named);
  const phone = phoneKey(named);
  return byId ?? (phone === "" ? undefined : contacts.find(appId, `p:${phone}`));
}
