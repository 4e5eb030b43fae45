/** A result as it is read: whole from a thousand on, else with three digits that count. */
export function figure(value: number): string {
  const digits = { minimumSignificantDigits: 3, maximumSignificantDigits: 3 };
  return Math.abs(value) >= 1000 ? plain(Math.round(value)) : value.toLocaleString("en", digits);
}

/** A number that was given, or stands at an axis. */
export function plain(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: 6 });
}
