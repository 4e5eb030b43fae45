/**
 * Which columns of a list tell consent. Shop systems and mail services name them in many ways; a consent that is not read is a
 * message to somebody who said no. So an unknown column that looks like consent stops the import.
 */

import { wordsOf } from "./column-words.js";
import { looksLikeConsent } from "./consent-looks.js";

/** What a column of a list is about. */
export type ConsentColumn =
  /** A yes or no: `says` counts yes as a subscription, `denies` counts yes as the end of one. */
  | { readonly kind: "says" | "denies"; readonly channel: "email" | "sms" }
  /** The time at which the subscription began or ended. */
  | { readonly kind: "began" | "ended"; readonly channel: "email" | "sms" }
  /** A phone number for text messages, or a consent to them. */
  | { readonly kind: "sms" }
  /** About a statement, but not one: its time, reason, form or network. */
  | { readonly kind: "detail" }
  /** It looks like consent and cannot be read. */
  | { readonly kind: "unread" };

/**
 * Names that surely mean messages of a shop. `gdpr consent`, `subscription status` and `confirmed at` may be about data, a paid
 * subscription or an account. In the form of `wordsOf`; for text messages with `sms` for `email`.
 */
const SAYS = [
  // English: Shopify, Mailchimp, Klaviyo, Brevo, WooCommerce, Magento, PrestaShop, HubSpot, Omnisend and others
  "subscribed, is subscribed, subscribe, email subscribed, is email subscribed, subscribed to email, subscribed to newsletter",
  "newsletter subscribed, is newsletter subscribed, subscriber, is subscriber, newsletter subscriber, email subscriber",
  "subscriber status, email subscription, email subscription status",
  "newsletter subscription, newsletter subscription status, newsletter status, email status, email state, list status",
  "global status, customer subscribed, mailchimp woocommerce is subscribed",
  "newsletter, newsletters, is newsletter, newsletter opt in, newsletter consent, receive newsletter, receives newsletter",
  "accepts newsletter, sign up for newsletter, receive email, receives email, receive marketing email",
  "opt in, opted in, is opted in, has opted in, email opt in, email opted in, double opt in, email double opt in, opt in status",
  "email opt in status, marketing opt in, email marketing opt in, opt in email, opt in newsletter, opt in marketing",
  "accepts marketing, accepts email marketing, buyer accepts marketing, accept marketing, accepts email",
  "marketing, email marketing, email marketing status, email marketing state, marketing status, marketing email",
  "consent, consent status, consent state, consent given, email consent, email consent status, marketing consent",
  "marketing consent status, email marketing consent, email marketing consent status, email marketing consent state",
  "email marketing consent marketing state, consent to email, consent email, consent marketing",
  "consent newsletter, permission, email permission, marketing permission, marketing permissions, email permission status",
  "email allowed, allow email, allows email, allow marketing, allows marketing, allow email marketing, mailing, mailing list",
  "agrees to marketing, agreed to marketing, agree to newsletter, agrees to newsletter, marketing agreement",
  // German
  "abonniert, newsletter abonniert, newsletter abonnent, newsletter anmeldung, newsletter angemeldet",
  "einwilligung, newsletter einwilligung, werbeeinwilligung, email einwilligung, werbung erlaubt, werbung, newsletter empfanger",
  // Polish
  "zgoda, zgoda na newsletter, zgoda newsletter, zgoda marketingowa, zgody marketingowe, zgoda na marketing, zgoda email",
  "zgoda na email, zgoda na sms, zgoda na mailing, zgoda marketing, zapisany, zapisany do newslettera, subskrybent",
  // French
  "abonne, abonne newsletter, abonne a la newsletter, inscrit newsletter, inscrit a la newsletter",
  "inscription newsletter, consentement, consentement email, accepte la newsletter, accepte le marketing, accepte marketing",
  // Spanish, Italian, Portuguese
  "suscrito, suscrito al boletin, boletin, consentimiento, acepta marketing, acepta publicidad, acepta boletin",
  "iscritto newsletter, iscritto alla newsletter, iscrizione newsletter, consenso, consenso marketing, accetta marketing",
  "inscrito na newsletter, assinante, consentimento, boletim, aceita marketing",
  // Dutch, Czech, Swedish, Danish
  "nieuwsbrief, toestemming, geabonneerd, odber newsletteru, odber, souhlas, souhlas s newsletterem",
  "prenumererar, nyhetsbrev, samtycke, nyhedsbrev, samtykke",
];

const DENIES = [
  "unsubscribed, is unsubscribed, unsubscribe, email unsubscribed, unsubscribed from email, unsubscribed from all email",
  "newsletter unsubscribed, opt out, opted out, is opted out, has opted out, email opt out, email opted out, opted out of email",
  "has opted out of email, marketing opt out, newsletter opt out, hs email opt out, opted out of marketing, opt out email",
  "do not email, do not bulk email, do not contact, do not market, no email, no newsletter, no marketing",
  "blacklisted, email blacklisted, blacklist, blocklisted, email blocklisted, blocklist, suppressed, email suppressed",
  "suppression, email suppression, email suppressions, suppressions, bounced, email bounced, hard bounced, email hard bounced",
  "complained, spam complaint, marked as spam, cleaned",
  "abgemeldet, newsletter abgemeldet, werbesperre, keine werbung, wypisany, wypisany z newslettera, rezygnacja, desabonne",
  "desinscrit, dado de baja, baja, disiscritto, afgemeld, uitgeschreven, odhlasen",
];

const BEGAN = [
  "opt in time, opt in date, opt in timestamp, opt in at, opted in at, email opt in time, email opt in date, double opt in date",
  "double opt in time, confirm time, subscribed at, subscribed on, subscribed date",
  "subscribe date, subscribe time, date subscribed, newsletter date add, newsletter subscribed at",
  "email subscribed at",
];

const ENDED = [
  "unsub time, unsub date, unsubscribed at, unsubscribed on, unsubscribed date, unsubscribe date, unsubscribe time",
  "date unsubscribed, unsubscription date, opt out time, opt out date, opt out timestamp, opted out at, email unsubscribed at",
  "clean time, cleaned at, bounced at, suppressed at, suppressions timestamp, email suppressions timestamp",
];

const KNOWN: ReadonlyMap<string, "says" | "denies" | "began" | "ended"> = new Map(
  Object.entries({ says: SAYS, denies: DENIES, began: BEGAN, ended: ENDED } as const).flatMap(([kind, lines]) =>
    lines.flatMap((line) => line.split(", ")).map((name) => [name, asKind(kind)] as const),
  ),
);

function asKind(kind: string): "says" | "denies" | "began" | "ended" {
  return kind === "denies" || kind === "began" || kind === "ended" ? kind : "says";
}

/** Last words of columns about a statement that another column makes. */
const DETAIL =
  /\b(ip|id|reason|reason other|campaign|campaign title|source|method|form|url|timestamp|updated at|date|time|at)$/;

/** An end of a subscription and when it was: no detail, but a statement. */
const ENDS = /unsub|opt(ed)? out|bounce|complain|spam|black|block|suppress|clean|remov|deactiv|exclu/;
const WHEN = /\b(date|time|timestamp|at|on)$/;

const cache = new Map<string, ConsentColumn | undefined>();
const MAX_CACHED = 1000;

/** What a column is about; undefined when not about consent. */
export function consentColumn(name: string): ConsentColumn | undefined {
  if (cache.has(name)) return cache.get(name);
  const column = classify(name);
  if (cache.size < MAX_CACHED) cache.set(name, column);
  return column;
}

/** What shop systems and mail services put the fields of people into. */
const WRAPPER =
  /^((extension|custom|additional|contact|customer|merge|user|profile|extra|meta|data|subscriber|member) ?)*(attributes?|propert(y|ies)|fields?|values?|data)?$|^(contact|customer|subscriber|profile|user|member)s$/;

/** A field inside another is read like a column where its path says no more than where it stands. */
function classify(name: string): ConsentColumn | undefined {
  const parts = name.split(".");
  while (parts.length > 1 && WRAPPER.test(wordsOf(parts[0] ?? ""))) parts.shift();
  if (parts.length > 1 && parts.at(-1) === "value") parts.pop();
  const words = wordsOf(parts.join("."));
  // Of a customer, an order or a list: only the field of this name at the top is known.
  if (name !== parts.join(".") && /^(sms )?status$/.test(words)) return { kind: "unread" };
  return classifyWords(words) ?? classifyWords(wordsOf(name));
}

function classifyWords(words: string): ConsentColumn | undefined {
  if (words === "sms") return { kind: "sms" };
  const isSms = /\b(sms|text message|text messages|text)\b/.test(words);
  const asEmail = isSms ? words.replace(/\b(sms|text messages?|text)\b/g, "email") : words;
  const kind =
    KNOWN.get(words) ??
    KNOWN.get(asEmail) ??
    (isSms ? KNOWN.get(asEmail.replace(/ ?\bemail\b/, "").trim()) : undefined);
  if (kind !== undefined) return { kind, channel: isSms ? "sms" : "email" };
  if (!looksLikeConsent(words)) return undefined;
  return DETAIL.test(words) && !(ENDS.test(words) && WHEN.test(words)) ? { kind: "detail" } : { kind: "unread" };
}
