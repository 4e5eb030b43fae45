/** The values of an enum by their names in lower case, such as `next_item`. TypeScript's enums have numbers as names too. */
export function enumWords<T>(values: Readonly<Record<string, T | string>>): ReadonlyMap<string, T> {
  return new Map(
    Object.entries(values).flatMap(([name, value]) => (typeof value === "string" ? [] : [[name.toLowerCase(), value]])),
  );
}
