import { type Amount, readAmount as amountIn } from "../../parse/amount.js";
import { instant } from "../../parse/times.js";
import { isNoValue } from "../../parse/words-for-nothing.js";
import { BadLine } from "./rows.js";

/** A cell as trimmed text, "" when absent or a word for no value. Lists and objects are refused. */
export function textOf(value: unknown, field: string): string {
  if (typeof value === "string") return isNoValue(value) ? "" : value.trim();
  if (value === undefined || value === null) return "";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return decimalText(value);
  throw new BadLine(`${field}: text is accepted`);
}

/** A finite number without exponent: 1e21 and 1e-7 are written out. */
function decimalText(value: number): string {
  const text = String(value);
  if (!/e/i.test(text)) return text;
  return Math.abs(value) >= 1 ? BigInt(value).toString() : value.toFixed(20).replace(/0+$/, "");
}

/**
 * Reads an amount as shops write it; "" means no amount.
 * @throws BadLine for any other text, and for negative amounts
 */
export function readAmount(text: string, field: string): Amount {
  if (text === "") return { amount: "", currency: "" };
  const read = amountIn(text);
  if (!read) throw new BadLine(`${field}: a decimal number is accepted, for example 149.99`);
  if (read.amount.startsWith("-")) throw new BadLine(`${field}: an amount below 0 is not accepted`);
  return read;
}

/** How many: a whole number of at least 1, 1 when absent. Weights such as `0.35` count as the next whole number. */
export function readQuantity(text: string, field: string): number {
  if (text === "") return 1;
  const quantity = /^\d{1,9}([.,]\d+)?$/.test(text) ? Math.ceil(Number(text.replace(",", "."))) : 0;
  if (quantity < 1) throw new BadLine(`${field}: a number above 0 is accepted`);
  return quantity;
}

const YEAR_2000_MS = 946_684_800_000;
const AHEAD_MS = 300_000;
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/;

/**
 * Milliseconds since 1970 of an ISO 8601 time (without a zone it is UTC) or a Unix time in seconds, milliseconds or
 * microseconds, told apart by size: below 10^11 seconds, below 10^14 milliseconds. Fractions are read.
 * @throws BadLine for anything else, and for times before 2000 or more than 5 minutes ahead: a server would replace
 *   those by the time of receipt.
 */
export function readTime(text: string, field: string, nowMs: number): number {
  const ms = /^\d{1,17}(\.\d+)?$/.test(text) ? unixMs(Number(text)) : isoMs(text);
  if (Number.isNaN(ms)) {
    throw new BadLine(`${field}: an ISO 8601 time or a Unix time in seconds or milliseconds is accepted`);
  }
  if (ms < YEAR_2000_MS) throw new BadLine(`${field}: a time from the year 2000 on is accepted`);
  if (ms > nowMs + AHEAD_MS) throw new BadLine(`${field}: a time in the future is not accepted`);
  return ms;
}

function unixMs(value: number): number {
  if (value < 1e11) return Math.round(value * 1000);
  return Math.round(value < 1e14 ? value : value / 1000);
}

function isoMs(text: string): number {
  const match = ISO.exec(text);
  if (!match) return Number.NaN;
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((at) => Number(match[at] ?? 0));
  const fraction = Number((match[7] ?? "").slice(0, 3).padEnd(3, "0"));
  if (second === 60) return Number.NaN;
  return instant(year!, month!, day!, hour!, minute!, second!, fraction) - zoneMs(match[8] ?? "");
}

function zoneMs(zone: string): number {
  const [, sign, hours, minutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  if (!sign) return 0;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
