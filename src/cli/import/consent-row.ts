import { UnusableFile } from "../../catalog/feed/feed-errors.js";
import { BadLine } from "../../catalog/feed/rows.js";
import { readTime, textOf } from "../../catalog/feed/scalars.js";
import { wordsOf } from "./column-words.js";
import { consentColumn } from "./consent-columns.js";
import { isActive, readConsent, tellsConsent } from "./consent-words.js";

/** What a line of a list says of a person's consent; null where it says nothing. */
export interface Consents {
  readonly email: boolean | null;
  readonly sms: boolean | null;
  /** When the e-mail statement was made, in milliseconds. */
  readonly at: number | null;
  /** A phone in a column that may hold either a phone or a consent; "" without one. */
  readonly phone: string;
}

/** A column of status, also one that the line lacks. */
export interface ToldStatus {
  readonly field: "status" | "sms_status";
  readonly column: string;
  readonly cell: string;
  readonly isThere: boolean;
  readonly isMapped: boolean;
}

type Channel = "email" | "sms";

/** One column's yes or no. */
interface Statement {
  readonly column: string;
  readonly channel: Channel;
  readonly value: boolean;
}

/**
 * Reads the consent of a line from its status and from columns of other names. Of two columns the stricter counts; a line in
 * which two columns of yes or no contradict each other is refused.
 *
 * @throws BadLine, or UnusableFile for a column that looks like consent and cannot be read
 */
export function readConsents(
  told: readonly ToldStatus[],
  extras: readonly (readonly [name: string, value: unknown])[],
  nowMs: number,
): Consents {
  const said: Statement[] = [];
  const denied: Statement[] = [];
  const times: { kind: "began" | "ended"; channel: Channel; column: string; ms: number | null }[] = [];
  const details: string[] = [];
  const cells = new Map<string, string>();
  let phone = "";
  let hasConsent = false;

  for (const { field, column, cell, isThere, isMapped } of told) {
    hasConsent ||= isThere;
    if (!isMapped && isOfAccounts(column, cell)) throw unread(column);
    const value = yesOrNo(column, cell);
    if (value !== null) said.push({ column, channel: field === "status" ? "email" : "sms", value });
  }
  for (const [column, raw] of extras) {
    const about = consentColumn(column);
    if (
      typeof raw === "object" &&
      raw !== null &&
      [raw].flat(Infinity).some((one) => typeof one === "object" && one !== null)
    )
      throw new BadLine(`${column}: nested too deeply`);
    if (about === undefined && ![raw].flat().some(tellsConsent)) continue;
    if (about === undefined || about.kind === "unread") throw unread(column);
    if (about.kind === "detail") {
      details.push(column);
      continue;
    }
    hasConsent = true;
    const cell = cellOf(raw, column);
    if (isOfAccounts(column, cell)) throw unread(column);
    const name = wordsOf(column);
    if (cells.has(name) && cells.get(name) !== cell) throw new BadLine(`${column}: given twice with different values`);
    cells.set(name, cell);
    if (about.kind === "sms") {
      if (/^[+(]?[\d\s()./-]{5,}$/.test(cell)) phone = cell;
      else take(said, { column, channel: "sms" }, yesOrNo(column, cell));
    } else if (about.kind === "says") take(said, { column, channel: about.channel }, yesOrNo(column, cell));
    else if (about.kind === "denies") take(denied, { column, channel: about.channel }, deniedBy(column, cell, nowMs));
    else if (readConsent(cell) !== null)
      times.push({ kind: about.kind, channel: about.channel, column, ms: timeIn(cell, nowMs) });
  }
  if (!hasConsent && details[0] !== undefined) throw unread(details[0]);

  const decided = (channel: Channel) => {
    const own = said.filter((one) => one.channel === channel);
    const [first] = own;
    const other = own.find(({ value }) => value !== first?.value);
    if (first !== undefined && other !== undefined)
      throw new BadLine(`${other.column}: contradicts ${first.column}; name one of them by --ignore-column`);
    const ends = times.filter((one) => one.kind === "ended" && one.channel === channel);
    // An end whose time cannot be read may be the last one.
    const ended = ends.find(({ ms }) => ms === null) ?? ends.sort((a, b) => Number(b.ms) - Number(a.ms))[0];
    const began = times.find((one) => one.kind === "began" && one.channel === channel);
    if (denied.some((one) => one.channel === channel)) return { value: false, at: ended?.ms ?? null };
    if (ended !== undefined && !isLater(began?.ms, ended.ms)) return { value: false, at: ended.ms };
    if (first !== undefined) return { value: first.value, at: (first.value ? began?.ms : ended?.ms) ?? null };
    if (began === undefined) return { value: null, at: null };
    if (began.ms === null) throw new BadLine(`${began.column}: a time is accepted`);
    return { value: true, at: began.ms };
  };
  const email = decided("email");
  return { email: email.value, sms: decided("sms").value, at: email.at, phone };
}

/** `status=active` may be said of an account, or of an address that a check found valid. */
function isOfAccounts(column: string, cell: string): boolean {
  return /^((email|sms|list|global) )?(status|state)$/.test(wordsOf(column)) && isActive(cell);
}

function take(list: Statement[], of: Omit<Statement, "value">, value: boolean | null): void {
  if (value !== null) list.push({ ...of, value });
}

function isLater(began: number | null | undefined, ended: number | null): boolean {
  return typeof began === "number" && ended !== null && began > ended;
}

/** A list of states, such as `["email"]`, counts as text. */
function cellOf(raw: unknown, column: string): string {
  return Array.isArray(raw) ? JSON.stringify(raw) : textOf(raw, column);
}

function yesOrNo(column: string, cell: string): boolean | null {
  const value = readConsent(cell);
  if (value === undefined)
    throw new BadLine(`${column}: subscribed, unsubscribed, 1, 0, yes, no or nothing is accepted`);
  return value;
}

/** True for an end of consent, else null: that somebody has not opted out is no consent. A time or a reason counts as yes. */
function deniedBy(column: string, cell: string, nowMs: number): true | null {
  const words = cell.toLowerCase().replace(/[\s_-]+/g, " ");
  if (REASONS.test(words) || timeIn(cell, nowMs) !== null) return true;
  if (words.includes("subscri")) throw new BadLine(`${column}: yes, no, a time or nothing is accepted`);
  return yesOrNo(column, cell) === true ? true : null;
}

const REASONS = /unsubscri|bounce|spam|complain|suppress|opted out|invalid|blocked|abuse/;

function timeIn(cell: string, nowMs: number): number | null {
  try {
    return /\d{4}/.test(cell) ? readTime(cell, "", nowMs) : null;
  } catch (error) {
    if (error instanceof BadLine) return null; // the cell says that there is a time, not which
    throw error;
  }
}

export function unread(column: string): UnusableFile {
  return new UnusableFile(
    `The column ${column} looks like consent and is not read: name it with --map status=COLUMN or --map sms_status=COLUMN, ` +
      "or leave it out with --ignore-column COLUMN",
  );
}
