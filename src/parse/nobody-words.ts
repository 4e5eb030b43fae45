/** The vocabulary of ids that name nobody, in lower case, with one blank where senders write any separator. */

/** What programs print for a value that is not there. */
const PRINTED = ["null", "nil", "none", "undefined", "nan", "na", "n a", "inf", "infinity", "object object", "void"];
const ABSENT = [
  ...["false", "true", "empty", "unset", "missing", "unspecified", "unavailable", "unassigned", "unnamed", "invalid"],
  ...["error", "failed", "timeout", "pending", "loading", "disabled", "unsupported", "uninitialized", "uninitialised"],
  ...["placeholder", "default", "deleted", "erased", "removed", "nobody", "noname", "walk in"],
];
/** What stands where a value is held back, or may not be asked for. */
const WITHHELD = [
  ...["hidden", "redacted", "masked", "withheld", "filtered", "obfuscated", "scrubbed", "anonymized", "anonymised"],
  ...["denied", "granted", "declined", "rejected", "refused", "blocked", "opt out", "opted out", "consent"],
];
const STRANGERS = [
  ...["guest", "anonymous", "anon", "unknown"],
  ...["unidentified", "unregistered", "unauthenticated", "unauthorized", "unauthorised", "unrecognized"],
  ...["logged out", "signed out"],
];
/** The same in other languages; accents may be missing. */
const FOREIGN = [
  ...["gast", "besucher", "anonym", "unbekannt", "nicht angemeldet", "nicht eingeloggt", "niemand"],
  ...["invité", "invitée", "visiteur", "anonyme", "inconnu", "non connecté", "aucun"],
  ...["invitado", "invitada", "visitante", "anónimo", "desconocido", "ninguno"],
  ...["ospite", "visitatore", "anonimo", "sconosciuto", "nessuno"],
  ...["convidado", "convidada", "anônimo", "desconhecido", "nenhum"],
  ...["bezoeker", "anoniem", "onbekend", "gość", "anonimowy", "nieznany", "niezalogowany", "brak"],
  ...["gäst", "okänd", "gæst", "gaest", "ukendt", "gjest", "ukjent", "vieras", "tuntematon", "anonyymi"],
  ...["vendég", "ismeretlen", "névtelen", "hosť", "návštěvník", "neznámý", "oaspete", "vizitator", "necunoscut"],
  ...["misafir", "ziyaretçi", "bilinmeyen", "gost", "nepoznat", "svečias", "viesis", "külaline"],
  ...["гость", "гість", "гост", "посетитель", "відвідувач", "аноним", "анонім", "неизвестно", "невідомо"],
  ...[
    "επισκέπτης",
    "ανώνυμος",
    "ゲスト",
    "匿名",
    "不明",
    "游客",
    "遊客",
    "访客",
    "訪客",
    "未知",
    "게스트",
    "손님",
    "비회원",
  ],
  ...["ضيف", "زائر", "אורח", "khách", "अतिथि", "ผู้เยี่ยมชม"],
];

/** What the id is of. Alone these are values; beside a word for nobody they say nothing more. */
const NOUNS = [
  ...["user", "customer", "visitor", "client", "session", "account", "member", "shopper", "buyer", "person", "contact"],
  ...["profile", "device", "browser", "cookie", "login", "checkout", "email", "name", "value", "data"],
];
const NOUNS_ONLY_BESIDE = [
  ...["users", "customers", "visitors", "guests", "id", "uid", "cid", "uuid", "guid", "fpid", "fp", "ccid", "your"],
  ...["amp", "kunde", "benutzer", "nutzer", "utilisateur", "usuario", "usuário", "cliente", "utente", "klient"],
  ...["gebruiker", "użytkownik", "пользователь"],
];
const PARTICIPLES = [
  ...["set", "provided", "given", "specified", "supplied", "available", "applicable", "found", "defined", "known"],
  ...["identified", "registered", "recognized", "logged in", "signed in", "loggedin", "authenticated", "assigned"],
  ...["initialized", "initialised", "recorded", "present", "consented", "allowed", "loaded"],
];

const unaccented = (word: string) => word.normalize("NFD").replace(/\p{M}/gu, "").normalize("NFC");
const glued = (word: string) => word.replaceAll(" ", "");

const plain = [...PRINTED, ...ABSENT, ...WITHHELD, ...STRANGERS, ...FOREIGN, ...FOREIGN.map(unaccented)];
const phrases = [
  ...PARTICIPLES.map((word) => `not ${word}`),
  ...[...NOUNS, "id", "consent"].map((noun) => `no ${noun}`),
  ...NOUNS.map((noun) => `${noun} id`),
];
const strangersAndNouns = ["guest", "anonymous", "anon", "unknown"].flatMap((stranger) =>
  NOUNS.map((noun) => `${stranger} ${noun}`),
);

/** Words and phrases that name nobody, written with one blank or with none. */
export const NOBODY_WORDS: ReadonlySet<string> = new Set(
  [...plain, ...phrases, ...strangersAndNouns].flatMap((word) => [word, glued(word)]),
);
/** Words in the longest phrase. */
export const LONGEST_PHRASE = 3;
export const NOUNS_OF_IDS: ReadonlySet<string> = new Set(
  [...NOUNS, ...NOUNS_ONLY_BESIDE].flatMap((noun) => [noun, unaccented(noun)]),
);

/** What stores of earlier versions are most likely to hold: a choice from the above. */
export const USUAL_WORDS: readonly string[] = [...new Set([...plain, ...phrases])];
export const USUAL_PHRASES: readonly string[] = ["guest", "anonymous", "unknown"].flatMap((stranger) =>
  ["user", "customer", "visitor", "client", "session"].flatMap((noun) => [
    `${stranger} ${noun}`,
    `${noun} ${stranger}`,
  ]),
);
export const USUAL_IN_BRACKETS: readonly string[] = [
  ...["null", "nil", "none", "undefined", "not set", "not provided", "unknown", "guest", "anonymous", "redacted"],
  ...["empty", "object object", "blank"],
];
export const USUAL_PARTS: readonly string[] = ["null", "undefined", "none", "nan", "0"];
