/** Times as senders write them. */

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)([Tt ])(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|z|[+-]\d\d:\d\d)?$/;

/**
 * Milliseconds since 1970 of an RFC 3339 date-time, or NaN. A second 60 counts as the next second; digits beyond the
 * millisecond are cut off. The form that browsers write, `2024-05-01T12:00:00.000Z`, has a fast path without a pattern:
 * a request may contain thousands of them.
 */
export function parseRfc3339(text: string): number {
  if (text.length === 24 && text.charCodeAt(23) === 0x5a && text.charCodeAt(19) === 0x2e) return parseBrowserForm(text);
  const parts = DATE_TIME.exec(text);
  return parts === null || parts[4] === " " || parts[9] === undefined ? Number.NaN : fromParts(parts);
}

/**
 * Milliseconds since 1970 of a time in a form, or NaN: `YYYY-MM-DD HH:MM:SS`, or ISO 8601 with or without a fraction
 * and an offset. Without an offset it is UTC. An offset may lack its colon, and its `+` may have become a space on the
 * way through a form.
 */
export function parseFormTime(text: string): number {
  const parts = DATE_TIME.exec(text.trim().replace(FORM_OFFSET, offsetOf));
  return parts === null ? Number.NaN : fromParts(parts);
}

const FORM_OFFSET = /(?<=:\d\d(?:\.\d+)?)([+ -])(\d\d):?(\d\d)$/;

function offsetOf(_offset: string, sign: string, hours: string, minutes: string): string {
  return `${sign === "-" ? "-" : "+"}${hours}:${minutes}`;
}

function parseBrowserForm(text: string): number {
  if (
    text.charCodeAt(4) !== 0x2d ||
    text.charCodeAt(7) !== 0x2d ||
    (text.charCodeAt(10) | 0x20) !== 0x74 ||
    text.charCodeAt(13) !== 0x3a ||
    text.charCodeAt(16) !== 0x3a
  )
    return Number.NaN;
  return instant(
    twoDigits(text, 0) * 100 + twoDigits(text, 2),
    twoDigits(text, 5),
    twoDigits(text, 8),
    twoDigits(text, 11),
    twoDigits(text, 14),
    twoDigits(text, 17),
    twoDigits(text, 20) * 10 + digit(text, 22),
  );
}

function fromParts(parts: RegExpExecArray): number {
  const at = (index: number) => Number(parts[index]);
  const fraction = `${parts[8] ?? ""}000`.slice(0, 3);
  const local = instant(at(1), at(2), at(3), at(5), at(6), at(7), Number(fraction));
  const offset = parts[9];
  if (offset === undefined || offset === "Z" || offset === "z") return local;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(4, 6));
  if (hours > 23 || minutes > 59) return Number.NaN;
  return local - (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** Milliseconds since 1970 of a time in UTC; NaN when there is none, as on 31 February. A second 60 is the next second. */
export function instant(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  ms: number,
): number {
  // NaN fails every comparison, so text that is no digit ends here.
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month))) return Number.NaN;
  if (!(hour <= 23 && minute <= 59 && second <= 60 && ms <= 999)) return Number.NaN;
  // Date.UTC reads the years 0 to 99 as 1900 to 1999. The calendar repeats every 400 years.
  return Date.UTC(year + 400, month - 1, day, hour, minute, second, ms) - 146_097 * 86_400_000;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function twoDigits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

function digit(text: string, at: number): number {
  const code = text.charCodeAt(at) - 0x30;
  return code >= 0 && code <= 9 ? code : Number.NaN;
}
