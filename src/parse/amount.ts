/**
 * Amounts of money as shops write them: `149.99`, `1,299.00`, `1.299,00`, `1 299,00`, `49,90 €`, `EUR 5`, `-5`.
 *
 * The mark that stands last is the decimal one, except that a lone comma before exactly three digits, and a mark that
 * comes twice, part thousands: `1,299` is what an English shop writes far more often than a price with three decimals.
 * A lone dot is always decimal, because that is the documented form.
 */

/** Decimal text with a dot, and its ISO 4217 currency; "" if the text names no currency. */
export interface Amount {
  readonly amount: string;
  readonly currency: string;
}

const SIGNS: ReadonlyMap<string, string> = new Map([
  ["€", "EUR"],
  ["£", "GBP"],
  ["¥", "JPY"],
  ["₹", "INR"],
  ["zł", "PLN"],
  ["Kč", "CZK"],
]);

const MAX_LENGTH = 64;
const WRITTEN = /^(-?)\s*([A-Za-z]{3}|zł|Kč|\p{Sc}|)\s*(-?)(\d[\d.,'’\s]*?)\s*([A-Za-z]{3}|zł|Kč|\p{Sc}|)$/u;

/** The amount in a text; undefined if the text is not an amount. `$` names no currency: several use it. */
export function readAmount(text: string): Amount | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return undefined;
  const [, minus = "", before = "", innerMinus = "", number = "", after = ""] = WRITTEN.exec(trimmed) ?? [];
  const plain = plainDecimal(number.replace(/['’\s]/g, ""));
  if (plain === "" || (minus !== "" && innerMinus !== "")) return undefined;
  const sign = before || after;
  const currency = SIGNS.get(sign) ?? (/^[A-Za-z]{3}$/.test(sign) ? sign.toUpperCase() : "");
  return { amount: minus + innerMinus + plain, currency };
}

/** Decimal text with a dot and at most nine digits behind it, "" when the marks make no sense. */
function plainDecimal(number: string): string {
  const comma = number.lastIndexOf(",");
  const dot = number.lastIndexOf(".");
  let text: string;
  if (comma >= 0 && dot >= 0) {
    const [thousands, decimal] = comma > dot ? [".", ","] : [",", "."];
    text = number.replaceAll(thousands, "").replace(decimal, ".");
  } else if (/^\d{1,3}(,\d{3})+$/.test(number)) text = number.replaceAll(",", "");
  else if (/^\d{1,3}(\.\d{3}){2,}$/.test(number)) text = number.replaceAll(".", "");
  else text = number.replace(",", ".");
  const [, whole, fraction = ""] = /^(\d{1,18})(?:\.(\d*))?$/.exec(text) ?? [];
  if (whole === undefined) return "";
  const digits = fraction.slice(0, 9);
  return digits === "" ? whole : `${whole}.${digits}`;
}
