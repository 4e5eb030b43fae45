import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { FieldSet } from "../../catalog/feed/columns.js";
import { BadLine, type Row } from "../../catalog/feed/rows.js";
import { readTime, textOf } from "../../catalog/feed/scalars.js";
import { type ImportedContact, ImportedContactSchema } from "../../gen/aisle/v1/contact_pb.js";
import { SubscriptionState } from "../../gen/aisle/v1/subscription_pb.js";

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
  "client_id",
  "fingerprint_id",
  "user_id",
] as const;

export type ContactField = (typeof FIELDS)[number];

export const CONTACT_FIELDS: FieldSet<ContactField> = {
  fields: FIELDS,
  aliases: {
    email_address: "email",
    email_status: "status",
    subscriber_status: "status",
    sms_subscriber_status: "sms_status",
    c_id: "client_id",
    fp_ccid: "fingerprint_id",
    customer_tags: "tags",
  },
  required: [["email", "phone"]],
};

/** @throws BadLine */
export function readContact(row: Row<ContactField>, nowMs: number): ImportedContact {
  const { values } = row;
  const text = (field: ContactField) => textOf(values[field], field);
  if (text("email") === "" && text("phone") === "") throw new BadLine("email: missing");
  const changeTime = text("change_time");
  const visitor = { clientId: text("client_id"), fingerprintId: text("fingerprint_id"), userId: text("user_id") };
  return create(ImportedContactSchema, {
    email: text("email"),
    phone: text("phone"),
    emailState: readState(text("status"), "status"),
    smsState: readState(text("sms_status"), "sms_status"),
    firstName: text("first_name"),
    lastName: text("last_name"),
    country: text("country"),
    city: text("city"),
    gender: text("gender"),
    birthDate: text("birth_date"),
    tags: text("tags")
      .split(/[|,]/)
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ""),
    reason: text("reason"),
    ...(changeTime !== "" && { changeTime: timestampFromMs(readTime(changeTime, "change_time", nowMs)) }),
    ...(Object.values(visitor).some((id) => id !== "") && { visitor }),
  });
}

const SUBSCRIBED = /^(subscribed|active|opt(ed)?[ _-]?in|confirmed|true|yes|y|on|1)$/;
const UNSUBSCRIBED = /^(unsubscribed|inactive|opt(ed)?[ _-]?out|cleaned|bounced|complained|false|no|n|off|0)$/;
const UNKNOWN = /^(|unknown|null|none|pending|never[ _-]?subscribed)$/;

/** Words of mail services for these states; an undecided one, such as `pending`, leaves the known state. */
function readState(text: string, field: ContactField): SubscriptionState {
  const word = text.toLowerCase();
  if (SUBSCRIBED.test(word)) return SubscriptionState.SUBSCRIBED;
  if (UNSUBSCRIBED.test(word)) return SubscriptionState.UNSUBSCRIBED;
  if (UNKNOWN.test(word)) return SubscriptionState.UNSPECIFIED;
  throw new BadLine(`${field}: subscribed, unsubscribed, 1, 0, yes, no or nothing is accepted`);
}
