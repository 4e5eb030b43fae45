import {
  LONGEST_PHRASE,
  NOBODY_WORDS,
  NOUNS_OF_IDS,
  USUAL_IN_BRACKETS,
  USUAL_PARTS,
  USUAL_PHRASES,
  USUAL_WORDS,
} from "./nobody-words.js";

/** What exports and scripts write where a cell, a group of variants, an order number or a key has no value. */
const NO_VALUES: ReadonlySet<string> = new Set([
  ...["null", "\\n", "not set", "undefined", "object object"],
  ...["#n/a", "#na", "#null!", "#ref!", "#value!", "#name?", "#div/0!", "#num!"],
]);

const OPENED = /^[\s"'`(<[{]+/;
const CLOSED = /[\s"'`)>\]}]+$/;
/**
 * A template that nothing filled in, and so the same for all: `{{ customer.id }}`, `${id}`, `<%= id %>`, `<?= $id ?>`,
 * `{$user.id}`, `[% id %]`, `##ID##`, `%user_id%`, `*|ID|*`.
 */
const TEMPLATE =
  /^(\{\{.*\}\}|\{%.*%\}|[$#@!%]\{.*\}|\{[$!#%=@].*\}|<%.*%>|<\?.*\?>|\[\[.*\]\]|\[%.*%\]|\*\|.*\|\*|##.*##|%[a-z_.%]*[a-z_.]%+)$/su;
/** The name of a field in brackets, between underscores or behind a dollar sign: `{user_id}`, `[USER ID]`, `$user->id`. */
const FIELD = /^([[<{]\s*[a-z][a-z_.\s]*[\]>}]|__[a-z][a-z_.]*__|\$[a-z][a-z_]*([._]|->)[a-z._>()-]*)$/u;
/** Characters without a shape: joiners, direction marks, soft hyphens, variation selectors. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** No value's word is longer with what may stand around it; ids of persons and templates may be. */
const LONGEST = 80;
/** Templates that are longer than any id. */
const LONGEST_TEMPLATE = 1000;

/** No word for nothing begins like most values do. */
const MAY_BE_NO_VALUE = /^[^A-MP-TV-Za-mp-tv-z0-9]/;

/** The text as it is compared with the words: in lower case, with one shape of each letter. */
function plainly(text: string): string {
  return text.replace(INVISIBLE, "").normalize("NFKC").trim().toLowerCase();
}

function isTemplate(text: string): boolean {
  return text.length <= LONGEST_TEMPLATE && MAY_BE_NO_VALUE.test(text) && TEMPLATE.test(plainly(text));
}

/** Letters and digits; all else separates. */
const PART = /[\p{L}\p{N}\p{M}]+/gu;
const ANY_PART = /[\p{L}\p{N}]/u;
const ZERO = /^(0+|0x0+|0+e0+)$/;
const MASK = /^x{3,36}$/;
/** Where analytics put an id of two numbers behind their version: `GA1.2.`, `fb.1.`. */
const VERSION = /^(ga\d\.\d(-\d)?|fb\.\d)(\.|$)/;
/** Numbers, UUIDs, hashes and ids of Google Analytics: most of what is sent. */
const MOST_IDS = /^(?=[^1-9]*[1-9])[\da-f][\da-f-]*$|^GA1\.\d\.[1-9]\d*\.[1-9]\d*$/i;
/** Numbers that stand for nothing; a longer negative one may be a hash. */
const NEGATIVE = /(^|[^\p{L}\p{N}-])-([1-9]|9+|32768|2147483648|9223372036854775808)(\.0+)?(?![\p{L}\p{N}])/gu;
/** `\N` of database exports, an object that a script printed, UUIDs of ones or of `x`, `(blank)` of pivot tables. */
const OTHER =
  /\\n(?![\p{L}\p{N}])|\[object \w+\]|(?<![\p{L}\p{N}])(f{8}-?(f{4}-?){3}f{12}|x{8}-x{4}-[4x]x{3}-[yx]x{3}-x{12})(?![\p{L}\p{N}])|^\(blank\)$/gu;

/**
 * True for an id that names nobody, in any case, with anything but letters and digits around. Shop systems give guests the id
 * 0, exports write NULL, scripts and analytics tools join several such words. As an id of a person each stands for nobody, or
 * all guests of a shop would be one visitor.
 */
export function isNobody(id: string): boolean {
  if (MOST_IDS.test(id)) return false;
  const said = plainly(id);
  if (!ANY_PART.test(said)) return true;
  if (id.length > LONGEST_TEMPLATE) return false;
  // Programs print `NaN`, `nan` or `NAN`. `Nan` is a name.
  if (isOfWords(said)) return id.trim() !== "Nan";
  if (MAY_BE_NO_VALUE.test(said) && (TEMPLATE.test(said) || FIELD.test(said) || isNoValue(said))) return true;
  return /%[0-9a-f]{2}/.test(said) && isOfWords(unescaped(said));
}

/** Whether each part is a word for nobody, a zero, or says what the id is of; the latter and zeros alone do not suffice. */
function isOfWords(said: string): boolean {
  const numbered = said.includes("-") ? said.replace(NEGATIVE, "$1 0 ") : said;
  const parts = numbered.replace(OTHER, " null ").replace(VERSION, "").match(PART) ?? [];
  let words = 0;
  let nouns = 0;
  for (let at = 0; at < parts.length; ) {
    let length = Math.min(LONGEST_PHRASE, parts.length - at);
    while (length > 0 && !NOBODY_WORDS.has(parts.slice(at, at + length).join(" "))) length--;
    const part = parts[at] ?? "";
    if (length > 0 || MASK.test(part)) words++;
    else if (NOUNS_OF_IDS.has(part)) nouns++;
    else if (!ZERO.test(part)) return false;
    at += Math.max(1, length);
  }
  return words > 0 || nouns === 0;
}

function unescaped(text: string): string {
  try {
    return plainly(decodeURIComponent(text));
  } catch {
    // No escapes but percent signs: the text is what it is.
    return text;
  }
}

const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/** Usual spellings of ids for which `isNobody` is true, to look them up. There are more than can be listed. */
export function spellingsOfNobody(): string[] {
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  const separated = (words: readonly string[]) =>
    words.flatMap((word) => ["_", "-", " ", ""].map((by) => word.replaceAll(" ", by)));
  const cased = (words: readonly string[]) =>
    words.flatMap((word) => [
      ...[word, word.toUpperCase(), capital(word)],
      ...[word.replace(/\p{L}+/gu, capital), word.replace(/\p{L}+$/u, capital)],
    ]);
  const camel = USUAL_PHRASES.map((phrase) => phrase.replace(/ \p{L}/gu, (letter) => letter.trim().toUpperCase()));
  const words = [...cased(separated([...USUAL_WORDS, ...USUAL_PHRASES])), ...camel];
  const parts = [...cased(USUAL_PARTS), "NaN"];
  const around = ["()", "[]", "<>", "{}", '""', "''"].flatMap(([open = "", close = ""]) =>
    cased(separated(USUAL_IN_BRACKETS)).map((word) => `${open}${word}${close}`),
  );
  const joined = [...".,|:;/-_ "].flatMap((by) => parts.flatMap((part) => [`${part}${by}${part}`, `${part}${by}0`]));
  const versions = ["GA1.1.", "GA1.2.", "GA1.3.", "fb.1."].flatMap((version) =>
    parts.flatMap((part) => [`${version}${part}`, `${version}${part}.${part}`]),
  );
  const nouns = ["user", "customer", "visitor", "client", "session", "guest", "id", "uid"].flatMap((noun) =>
    parts.flatMap((part) => ["_", "-", ".", ":", "="].map((by) => `${noun}${by}${part}`)),
  );
  const zeros = Array.from({ length: LONGEST }, (_, n) => "0".repeat(n + 1));
  const masks = Array.from({ length: 16 }, (_, n) => ["*", "x", "X", "#", "-", "."].map((sign) => sign.repeat(n + 1)));
  const signs = [
    ...["_", "?", "\u2013", "\u2014", "-0", "+0", "0.0", "0.00", "0x0", "0x00", "-1.0", "-99", "-999", "-9999"],
    ...["n/a", "N/A", "#N/A", "\\N", NIL_UUID, `{${NIL_UUID}}`],
  ];
  const negative = Array.from({ length: 9 }, (_, n) => `-${n + 1}`);
  const all = [
    ...words,
    "NaN",
    ...around,
    ...joined,
    ...versions,
    ...nouns,
    ...zeros,
    ...masks.flat(),
    ...signs,
    ...negative,
  ];
  return [...new Set(all)].filter(isNobody);
}

/**
 * True for a text that holds no value: `NULL`, `\N`, `(not set)`, `undefined`, `NaN`, `#N/A`, an unfilled template, with blanks, quotes
 * or brackets around. A name may be `None`, `Nan` or `0`, so those are values.
 */
export function isNoValue(text: string): boolean {
  if (text === "") return true;
  if (!MAY_BE_NO_VALUE.test(text)) return false;
  if (text.length > LONGEST) return isTemplate(text);
  const said = plainly(text);
  if (said === "" || TEMPLATE.test(said)) return true;
  const bare = said.replace(OPENED, "").replace(CLOSED, "");
  if (bare === "nan") return /NaN|nan/.test(text);
  return NO_VALUES.has(bare) || NO_VALUES.has(bare.replaceAll(/[\s_-]+/g, " "));
}
