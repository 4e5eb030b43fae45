import {
  type Confirmation,
  HOOK_FAILURES,
  HOOK_KINDS,
  type Hook,
  type HookEntry,
  type MailingSecrets,
} from "../../../domain/mailing.js";
import { number, oneOf, orNull, record, text } from "../shape.js";

export const mailingSecretsShape = record<MailingSecrets>({
  linkKey: text,
  hook: orNull(record<Hook>({ url: text, secret: text })),
});

export const hookEntryShape = record<HookEntry>({
  messageId: text,
  kind: oneOf(...HOOK_KINDS),
  contactId: text,
  channel: oneOf("email", "sms"),
  changeId: text,
  createdAt: number,
  attempts: number,
  nextAt: number,
  failure: oneOf("", ...HOOK_FAILURES),
  status: number,
});

export const confirmationShape = record<Confirmation>({
  askedAt: number,
  askedBy: text,
  eventId: text,
  visitorKey: text,
});
