import { InvalidArgumentError } from "commander";

/** Parsers of option values for commander. A rejected value is a usage error, exit code 2. */

/** Ids of a comma list without blanks and empty parts. An option given again adds to the list. */
export function idList(text: string, earlier: readonly string[] = []): readonly string[] {
  const ids = text
    .split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
  return [...earlier, ...ids];
}

/** Each use of an option adds its text. */
export function repeated(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text];
}

/** A parser of whole numbers from `least` to `most`. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,9}$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`A whole number from ${least} to ${most} is accepted.`);
    }
    return value;
  };
}

/** A number from 0 to 1. */
export function share(text: string): number {
  const value = Number(text);
  if (!/^\d*\.?\d{1,9}$/.test(text) || value > 1) throw new InvalidArgumentError("A number from 0 to 1 is accepted.");
  return value;
}

/** A parser of days: above 0 and up to `most`; parts of a day count. */
export function daysUpTo(most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d*\.?\d{1,9}$/.test(text) || value <= 0 || value > most)
      throw new InvalidArgumentError(`A number above 0, at most ${most}, is accepted.`);
    return value;
  };
}

/** An app id or frame id: 1 to 64 of `A-Z a-z 0-9 _ -`. */
export function plainId(text: string): string {
  if (!isPlainId(text)) {
    throw new InvalidArgumentError("1 to 64 letters, digits, _ or - are accepted.");
  }
  return text;
}

export function isPlainId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text);
}

/** An ISO 4217 code in upper case. */
export function currencyCode(text: string): string {
  if (!/^[A-Za-z]{3}$/.test(text)) throw new InvalidArgumentError("A code of three letters is accepted, such as EUR.");
  return text.toUpperCase();
}

/** A parser of words that stand for a value each. */
export function choice<Value>(
  words: readonly (readonly [word: string, value: Value])[],
  accepted: string,
): (text: string) => Value {
  return (text) => {
    const found = words.find(([word]) => word === text);
    if (found === undefined) throw new InvalidArgumentError(`${accepted} is accepted.`);
    return found[1];
  };
}
