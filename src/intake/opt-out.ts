import type { EventContact, EventProduct } from "../domain/event.js";
import { refusesProfile, type SentSignals } from "../domain/privacy-signals.js";
import { holdsEmail } from "../parse/addresses-in-text.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { SentEvent } from "./normalise.js";

/**
 * An event as it is stored for a sender who wants no profile: its action, products, category and order, without the text of a
 * search, texts that hold an e-mail address and addresses that carry a query. It is linked to
 * no visitor, and not to the browser's next event. An address counts only if the person gave it to subscribe or
 * unsubscribe, and only for that, with the evidence of it.
 */
function withoutProfile(sent: SentEvent): SentEvent {
  const { platform, platformVersion, senderVersion, categories, order } = sent;
  const subscribes = /^\s*(un)?subscribe\s*$/i.test(sent.actionType);
  return {
    ...sent,
    ...withoutEmails({ platform, platformVersion, senderVersion, categories, order }),
    actionType: holdsEmail(sent.actionType) ? "other" : sent.actionType,
    visitor: { clientId: "", fingerprintId: "", userId: "" },
    contact: subscribes && sent.contact !== null ? addressOf(sent.contact) : null,
    products: sent.products.map((product) => withoutEmails(withoutQueries(product))),
    searchQuery: "",
    extraFields: subscribes ? statementIn(sent.extraFields) : {},
    recommendationIds: [],
    isWithoutProfile: true,
  };
}

/** The same with "" in place of each text that holds an e-mail address. */
function withoutEmails<T>(value: T): T;
function withoutEmails(value: unknown): unknown {
  if (typeof value === "string") return holdsEmail(value) ? "" : value;
  if (Array.isArray(value)) return value.map((one) => withoutEmails(one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutEmails(one)]));
}

/** Of the fields of a `subscribe`: the evidence of consent as it was given, and each status that could not be read. */
function statementIn(fields: SentEvent["extraFields"]): SentEvent["extraFields"] {
  const kept: Record<string, string> = {};
  for (const name of ["consent_text", "consent_place"]) if (fields[name] !== undefined) kept[name] = fields[name];
  for (const name of ["subscriber_status", "sms_subscriber_status"])
    if (fields[name] !== undefined) kept[name] = withoutEmails(fields[name]);
  return kept;
}

/** A URL without its query may be another page's, so it goes as a whole. */
function withoutQueries(product: EventProduct): EventProduct {
  const plain = (url: string) => (/[?#]/.test(url) ? "" : url);
  return { ...product, url: plain(product.url), imageUrl: plain(product.imageUrl) };
}

function addressOf({ email, phone, emailSubscribed, smsSubscribed }: EventContact): EventContact {
  const nothing = { firstName: "", lastName: "", country: "", city: "", gender: "", birthDate: "", tags: [] };
  return { ...nothing, email, phone, emailSubscribed, smsSubscribed };
}

/** The event as it may be stored: where its app goes by such signals, as `withoutProfile` leaves it. */
export async function honourSignals(
  apps: Pick<AppStore, "get">,
  appId: string,
  sent: SentEvent,
  signals: SentSignals,
): Promise<SentEvent> {
  if (appId === "" || !(signals.globalPrivacyControl || signals.doNotTrack)) return sent;
  const app = await apps.get(appId);
  return app !== undefined && refusesProfile(app.privacy.signals, signals) ? withoutProfile(sent) : sent;
}
