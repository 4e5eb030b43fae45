/**
 * Whether a sale runs. `text` is Google's `sale_price_effective_date`: two ISO 8601 times with a slash between, such as
 * `2026-11-20T08:00+0100/2026-11-30T23:59+0100`; a sale without one always runs, and of one that cannot be read nothing is
 * known: it does not run.
 */
export function saleRuns(text: string, nowMs: number): boolean {
  if (text === "") return true;
  const [from, to, ...more] = text.split("/").map((part) => timeMs(part.trim()));
  if (from === undefined || to === undefined || more.length > 0) return false;
  return from <= nowMs && nowMs < to;
}

/** NaN for what is no time, which no comparison is true of. */
function timeMs(text: string): number {
  const [, date = "", time = "T00:00", zone = "Z"] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?))?\s*(Z|[+-]\d\d:?\d\d)?$/i.exec(text) ?? [];
  if (date === "") return Number.NaN;
  return Date.parse(`${date}T${time.replace("T", "")}${zone.replace(/^([+-]\d\d):?(\d\d)$/, "$1:$2").toUpperCase()}`);
}
