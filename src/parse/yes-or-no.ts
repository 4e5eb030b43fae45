const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...["1", "true", "yes", "y", "on", "subscribed"].map((word) => [word, true] as const),
  ...["0", "0.0", "false", "no", "n", "off", "unsubscribed"].map((word) => [word, false] as const),
]);

/** The yes or no of a sender, in any case; undefined for any other text. */
export function readYesOrNo(text: string): boolean | undefined {
  return WORDS.get(text.trim().toLowerCase());
}
