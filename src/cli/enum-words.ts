/** The word of an enum's value: `next_item`; `other` for a value that is newer than this program. */
export function enumWord(values: Readonly<Record<number, string>>, value: number): string {
  return values[value]?.toLowerCase() ?? "other";
}
