/** Letters that are no other letter with an accent, and how names without accents write them. */
const LETTERS: Readonly<Record<string, string>> = {
  ł: "l",
  ß: "ss",
  ø: "o",
  đ: "d",
  ı: "i",
  æ: "ae",
  Ł: "L",
  Ø: "O",
  Đ: "D",
};

/** A column's name as words in lower case without accents: `Accepts-Marketing`, `acceptsMarketing` and `accepts_marketing` are one. */
export function wordsOf(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[łßøđıæŁØĐ]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .replace(/\be mails?\b|\bemails\b/g, "email")
    .replace(/\boptin\b/g, "opt in")
    .replace(/\boptout\b/g, "opt out")
    .replace(/\bnews letter/g, "newsletter");
}
