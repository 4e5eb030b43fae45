/**
 * Compares what came with what a pair expects. Expected values are equal, except for objects with one name that begins
 * with `$`:
 *
 *   {"$match": "^\\d+$"}    text that matches
 *   {"$uuidv7": true}       a UUID of version 7
 *   {"$absent": true}       no such property
 *   {"$any": true}          anything but nothing
 *   {"$length": 3}          an array or text of this length
 *   {"$has": [...]}         an array with each of these elements, in any order, besides others; of an element that is
 *                           an object, only the properties named here count
 *   {"$lacks": [...]}       an array with none of these elements, compared the same way
 *   {"$hasOwn": ["a"]}      an object with these names of its own, besides others
 *   {"$product": "p1"}      a product of this id
 *   {"$ids": ["p1", "p2"]}  products of these ids in this order, and no others
 *   {"$saved": "name"}      what an earlier step saved under this name
 *   {"$not": x}             anything else than x
 */
export interface MatchOptions {
  /** Properties of objects that the pair does not name: refused, or not looked at. */
  readonly others: "refused" | "ignored";
  readonly saved: ReadonlyMap<string, string>;
}

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** What differs, as lines that begin with the place; empty when nothing does. */
export function differences(actual: unknown, expected: unknown, options: MatchOptions, place = "$"): string[] {
  const special = matcherOf(expected);
  if (special !== undefined) return matches(actual, special, options) ? [] : [differs(place, actual, expected)];
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return [differs(place, actual, expected)];
    return expected.flatMap((element, i) => differences(actual[i], element, options, `${place}[${i}]`));
  }
  if (isRecord(expected)) {
    if (!isRecord(actual)) return [differs(place, actual, expected)];
    const surplus = options.others === "ignored" ? [] : Object.keys(actual).filter((name) => !(name in expected));
    return [
      ...surplus.map((name) => `${place}.${name}: is not expected`),
      ...Object.entries(expected).flatMap(([name, value]) =>
        differences(Object.hasOwn(actual, name) ? actual[name] : undefined, value, options, `${place}.${name}`),
      ),
    ];
  }
  return Object.is(actual, expected) ? [] : [differs(place, actual, expected)];
}

function matches(actual: unknown, { name, value }: { name: string; value: unknown }, options: MatchOptions): boolean {
  const same = (a: unknown, b: unknown) => differences(a, b, { ...options, others: "ignored" }).length === 0;
  switch (name) {
    case "$match":
      return typeof actual === "string" && new RegExp(String(value)).test(actual);
    case "$uuidv7":
      return typeof actual === "string" && UUID_V7.test(actual);
    case "$absent":
      return actual === undefined;
    case "$any":
      return actual !== undefined && actual !== null && actual !== "";
    case "$length":
      return (Array.isArray(actual) || typeof actual === "string") && actual.length === value;
    case "$has":
      return Array.isArray(actual) && listOf(value).every((wanted) => actual.some((element) => same(element, wanted)));
    case "$lacks":
      return (
        Array.isArray(actual) && listOf(value).every((unwanted) => !actual.some((element) => same(element, unwanted)))
      );
    case "$hasOwn":
      return isRecord(actual) && listOf(value).every((wanted) => Object.hasOwn(actual, String(wanted)));
    case "$product":
      return isRecord(actual) && actual.productId === value;
    case "$ids":
      return (
        Array.isArray(actual) &&
        same(
          actual,
          listOf(value).map((productId) => ({ productId })),
        )
      );
    case "$saved": {
      const saved = options.saved.get(String(value));
      return saved !== undefined && actual === saved;
    }
    case "$not":
      return !same(actual, value);
    default:
      throw new Error(`There is no matcher ${name}`);
  }
}

function matcherOf(expected: unknown): { name: string; value: unknown } | undefined {
  if (!isRecord(expected)) return undefined;
  const [entry, ...more] = Object.entries(expected);
  return entry?.[0].startsWith("$") && more.length === 0 ? { name: entry[0], value: entry[1] } : undefined;
}

function differs(place: string, actual: unknown, expected: unknown): string {
  return `${place}: is ${JSON.stringify(actual)?.slice(0, 600)}, should be ${JSON.stringify(expected)?.slice(0, 600)}`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
