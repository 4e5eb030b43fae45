import type { Event } from "../gen/aisle/v1/event_pb.js";
import { readFlag, trimSpaces } from "./text-values.js";

/** The names that programs make of a field: `subscriber_status[]`, `subscriberStatus`, `Subscriber-Status`, `amp;subscriber_status`. */
const SPELLINGS = {
  subscriber_status: /^(amp;)?[\s_.-]*subscriber[\s_.-]*status[\s_.-]*([[\]%].*)?$/is,
  sms_subscriber_status: /^(amp;)?[\s_.-]*sms[\s_.-]*subscriber[\s_.-]*status[\s_.-]*([[\]%].*)?$/is,
};
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;

/**
 * What a form says of a subscription, under the field's name or another spelling of it. Only empty values are absent: a text such as
 * `undefined`, or two values that differ, say neither yes nor no, and are kept in the extra fields under the field's name.
 */
export function readStatus(
  name: keyof typeof SPELLINGS,
  fields: ReadonlyMap<string, string>,
  extraFields: Event["extraFields"],
): boolean | undefined {
  const texts = [fields.get(name) ?? ""];
  for (const other in extraFields)
    if (SPELLINGS[name].test(other.replace(UNSEEN, ""))) texts.push(extraFields[other] ?? "");
  const said = texts.filter((text) => trimSpaces(text) !== "");
  const [status, ...others] = said.map(readFlag);
  if (said.length === 0) return undefined;
  if (status !== undefined && others.every((other) => other === status)) return status;
  extraFields[name] = said.join(" ");
  return undefined;
}
