/**
 * What senders write where they know no person: shop systems give guests the id 0, exports write NULL, scripts and
 * analytics tools write their own words. As an id of a person each of them stands for nobody, or all guests of a shop would be one visitor.
 */
const WORDS: ReadonlySet<string> = new Set([
  ...["null", "nil", "none", "undefined", "nan", "na", "n/a", "#n/a", "\\n", "empty", "void", "n.a."],
  ...["false", "true", "unknown", "guest", "anonymous", "anon", "not set", "unset", "object object", "nobody"],
  ...["not logged in", "logged out", "no user", "no id", "unidentified", "unregistered", "not available", "missing"],
  ...["deleted", "opt out", "optout", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
]);

/** What exports and scripts write where a cell, a group of variants, an order number or a key has no value. */
const NO_VALUES: ReadonlySet<string> = new Set([
  ...["null", "\\n", "not set", "undefined", "object object"],
  ...["#n/a", "#na", "#null!", "#ref!", "#value!", "#name?", "#div/0!", "#num!"],
]);

const NEGATIVE = new Set(["-1", "-1.0"]);
/** Zeros, signs and separators: `0`, `00`, `-0`, `0.0`, `-`, the nil UUID. */
const ZEROS = /^[-+0._:]+$/;
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
/** No word is longer with what may stand around it; ids of persons and templates may be. */
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

/** True for an id that names nobody, in any case, with blanks, quotes or brackets around. */
export function isNobody(id: string): boolean {
  if (id.length > LONGEST) return isTemplate(id);
  const said = plainly(id);
  if (said === "" || ZEROS.test(said) || NEGATIVE.has(said) || TEMPLATE.test(said) || FIELD.test(said)) return true;
  const bare = said.replace(OPENED, "").replace(CLOSED, "");
  return bare === "" || ZEROS.test(bare) || WORDS.has(bare) || WORDS.has(bare.replaceAll(/[\s_-]+/g, " "));
}

const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/** Usual spellings of ids for which `isNobody` is true, to look them up. There are more than can be listed. */
export function spellingsOfNobody(): string[] {
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  const separated = [...WORDS].flatMap((word) => ["_", "-", " "].map((by) => word.replaceAll(" ", by)));
  const cased = separated.flatMap((word) => [
    ...[word, word.toUpperCase(), capital(word)],
    ...[word.replace(/[a-z]+/g, capital), word.replace(/[a-z]+$/, capital)],
  ]);
  const words = [...new Set([...cased, "NaN", "0"])];
  const zeros = Array.from({ length: LONGEST }, (_, n) => "0".repeat(n + 1));
  const around = ["()", "[]", "<>", "{}", '""', "''"].flatMap(([open = "", close = ""]) =>
    words.map((word) => `${open}${word}${close}`),
  );
  const signs = ["-", "--", "_", ".", "-0", "+0", "0.0", "0.00", ...NEGATIVE, NIL_UUID, `{${NIL_UUID}}`];
  return [...new Set([...words, ...around, ...zeros, ...signs])];
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
