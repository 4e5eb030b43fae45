import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { FieldSet } from "../../catalog/feed/columns.js";
import { BadLine, type Row } from "../../catalog/feed/rows.js";
import { readTime, textOf } from "../../catalog/feed/scalars.js";
import { type ImportedContact, ImportedContactSchema } from "../../gen/aisle/v1/contact_pb.js";
import { SubscriptionState } from "../../gen/aisle/v1/subscription_pb.js";
import { wordsOf } from "./column-words.js";
import { readConsents, unread } from "./consent-row.js";
import { tellsConsent } from "./consent-words.js";

const FIELDS = [
  "email",
  "phone",
  "status",
  "sms_status",
  "change_time",
  "first_name",
  "last_name",
  "country",
  "city",
  "gender",
  "birth_date",
  "tags",
  "reason",
  "consent_text",
  "consent_place",
  "consent_network",
  "client_id",
  "fingerprint_id",
  "user_id",
] as const;

export type ContactField = (typeof FIELDS)[number];

export const CONTACT_FIELDS: FieldSet<ContactField> = {
  fields: FIELDS,
  aliases: {
    email_address: "email",
    "e-mail": "email",
    e_mail: "email",
    customer_email: "email",
    "e-mail_address": "email",
    phone_number: "phone",
    mobile_number: "phone",
    firstname: "first_name",
    lastname: "last_name",
    birthday: "birth_date",
    c_id: "client_id",
    fp_ccid: "fingerprint_id",
    customer_tags: "tags",
  },
  required: [["email", "phone"]],
  isStrict: true,
};

/** Notes of a list that rejected no line. */
export const REMARKS = {
  sms: "an SMS status without a phone has no effect",
  email: "an e-mail status without an e-mail address has no effect",
} as const;

/** Columns that the reader remembers; JSON lines may have any number. */
const MAX_COLUMNS = 1000;

export interface ContactReader {
  /** @throws BadLine, or UnusableFile for a column that looks like consent and is not read */
  read(row: Row<ContactField>): ImportedContact;
  /** Columns to ignore that no row had. */
  unseen(): readonly string[];
}

/**
 * @param ignored Columns that tell no consent, whatever their names.
 * @param remark Called with a note of `REMARKS`.
 */
export function createContactReader(options: {
  readonly maps: readonly string[];
  readonly ignored: readonly string[];
  readonly remark: (text: string) => void;
  readonly now: () => number;
}): ContactReader {
  const seen = new Set<string>();
  const known = new Map<string, boolean>();
  const isIgnored = (column: string): boolean => {
    const before = known.get(column);
    if (before !== undefined) return before;
    const name = options.ignored.find((one) => isSameColumn(one, column));
    if (name !== undefined) seen.add(name);
    if (known.size < MAX_COLUMNS) known.set(column, name !== undefined);
    return name !== undefined;
  };
  /** The column of a field, as the file or the option writes it. */
  const columnOf = (field: ContactField): string =>
    options.maps.find((map) => map.startsWith(`${field}=`))?.slice(field.length + 1) ?? field;

  return {
    read(row) {
      const { values } = row;
      const text = (field: ContactField) => textOf(values[field], field);
      const told = (["status", "sms_status"] as const)
        .filter((field) => !isIgnored(columnOf(field)))
        .map((field) => {
          const column = columnOf(field);
          const isMapped = options.maps.some((map) => map.startsWith(`${field}=`));
          return { field, column, cell: text(field), isThere: field in values, isMapped };
        });
      const nowMs = options.now();
      const consent = readConsents(
        told,
        row.extras.filter(([name]) => !isIgnored(name)),
        nowMs,
      );
      const tags = text("tags")
        .split(/[|,]/)
        .map((tag) => tag.trim())
        .filter((tag) => tag !== "");
      if (tags.some(tellsConsent) && !isIgnored(columnOf("tags"))) throw unread(columnOf("tags"));
      const phone = text("phone") || consent.phone;
      if (isScientific(values.phone, row.raw))
        throw new BadLine(`${columnOf("phone")}: written like 4.8E+10, so its digits are lost`);
      if (text("email") === "" && phone === "") throw new BadLine("email: missing");
      const has = { email: text("email") !== "", sms: phone !== "" };
      for (const channel of ["email", "sms"] as const)
        if (consent[channel] !== null && !has[channel]) options.remark(REMARKS[channel]);
      const changeTime = text("change_time");
      const changedMs = changeTime === "" ? consent.at : readTime(changeTime, "change_time", nowMs);
      const evidence = {
        wording: text("consent_text"),
        place: text("consent_place"),
        network: text("consent_network"),
      };
      const visitor = { clientId: text("client_id"), fingerprintId: text("fingerprint_id"), userId: text("user_id") };
      return create(ImportedContactSchema, {
        email: text("email"),
        phone,
        emailState: has.email ? stateOf(consent.email) : SubscriptionState.UNSPECIFIED,
        smsState: has.sms ? stateOf(consent.sms) : SubscriptionState.UNSPECIFIED,
        firstName: text("first_name"),
        lastName: text("last_name"),
        country: text("country"),
        city: text("city"),
        gender: text("gender"),
        birthDate: text("birth_date"),
        tags,
        reason: text("reason"),
        ...(Object.values(evidence).some((one) => one !== "") && { evidence }),
        ...(changedMs !== null && { changeTime: timestampFromMs(changedMs) }),
        ...(Object.values(visitor).some((id) => id !== "") && { visitor }),
      });
    },
    unseen: () => options.ignored.filter((name) => !seen.has(name)),
  };
}

function isSameColumn(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase() || wordsOf(a) === wordsOf(b);
}

/** Whether a phone is a number with an exponent, as spreadsheets write long ones. JSON has read it, so the text of its line decides. */
function isScientific(phone: unknown, line: string): boolean {
  if (typeof phone === "number") return /:\s*[\d.]+[eE][+-]?\d+\s*[,}]/.test(line);
  return typeof phone === "string" && /^\s*[+-]?\d+([.,]\d*)?e[+-]?\d+\s*$/i.test(phone);
}

function stateOf(status: boolean | null): SubscriptionState {
  if (status === null) return SubscriptionState.UNSPECIFIED;
  return status ? SubscriptionState.SUBSCRIBED : SubscriptionState.UNSUBSCRIBED;
}
