import type { Event } from "../gen/aisle/v1/event_pb.js";
import { readFlag, trimSpaces } from "./text-values.js";

/** The names that programs make of each field: `subscriber_status[]`, `subscriberStatus`, `Subscriber-Status`. */
const SPELLINGS = {
  subscriber_status: /^\s*subscriber[\s_-]*status\s*(\[\s*\d*\s*\])?\s*$/i,
  sms_subscriber_status: /^\s*sms[\s_-]*subscriber[\s_-]*status\s*(\[\s*\d*\s*\])?\s*$/i,
};

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
  for (const other in extraFields) if (SPELLINGS[name].test(other)) texts.push(extraFields[other] ?? "");
  const said = texts.filter((text) => trimSpaces(text) !== "");
  const [status, ...others] = said.map(readFlag);
  if (said.length === 0) return undefined;
  if (status !== undefined && others.every((other) => other === status)) return status;
  extraFields[name] = said.join(" ");
  return undefined;
}
