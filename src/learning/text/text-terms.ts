/** Titles, brands and categories are short, descriptions long: n-grams are taken of short fields only. */
export type TextField = "short" | "long";

/** Characters read of a field: the end of a long description is rarely about the product. */
const MAX_CHARACTERS = { short: 1000, long: 4000 } as const;
/** Longer runs of letters are no words but codes or glued text: their n-grams count, not the run itself. */
const MAX_WORD = 30;
const MAX_GRAMMED = 100;

const TAG = /<\/?[a-z!][^<>]*>/gi;
const ENTITY = /&(?:#x?[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});/gi;
/** Where text was glued together: "one pocketWarranty". */
const GLUED = /(?<=\p{Ll}\p{Ll})(?=\p{Lu})/gu;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const NUMBER = /^\p{N}+$/u;
/** Scripts written without spaces: two characters say as much there as a word elsewhere. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** Words of a text: NFKC, lower case, without left-overs of HTML. Numbers of more than four digits are codes, no words. */
export function wordsOf(text: string, field: TextField): string[] {
  const plain = withoutMarkup(text.slice(0, MAX_CHARACTERS[field])).normalize("NFKC").replace(GLUED, " ").toLowerCase();
  const words = plain.match(WORD) ?? [];
  return words.filter((word) => !(word.length > 4 && NUMBER.test(word)));
}

/** A text with a space for each tag and entity of HTML. */
export function withoutMarkup(text: string): string {
  return text.replace(TAG, " ").replace(ENTITY, " ");
}

/** Terms of a text, repeats included: its words and, of a short field, n-grams, which begin with `#`. */
export function termsOf(field: TextField, text: string): string[] {
  const terms: string[] = [];
  for (const word of wordsOf(text, field)) {
    if (word.length <= MAX_WORD) terms.push(word);
    const unspaced = UNSPACED.test(word);
    if (field === "long" && !unspaced) continue;
    if (NUMBER.test(word)) continue;
    const characters = Array.from(unspaced ? word : `<${word}>`).slice(0, MAX_GRAMMED);
    const [shortest, longest] = unspaced ? [2, 3] : [3, 5];
    for (let length = shortest; length <= longest; length++) {
      for (let at = 0; at + length <= characters.length; at++) {
        terms.push(`#${characters.slice(at, at + length).join("")}`);
      }
    }
  }
  return terms;
}
