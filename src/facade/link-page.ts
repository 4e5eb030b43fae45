/**
 * The page behind a link in a mail: a question with one button, or the result. It loads nothing and runs no script. Its
 * language follows the browser's preference.
 */

/** What the page shows. */
export type LinkPageState = "ask_confirm" | "ask_unsubscribe" | "confirmed" | "unsubscribed" | "void" | "failed";

interface Words {
  readonly askConfirm: string;
  readonly confirm: string;
  readonly askUnsubscribe: string;
  readonly unsubscribe: string;
  readonly confirmed: string;
  readonly unsubscribed: string;
  readonly void: string;
  readonly failed: string;
}

const ENGLISH: Words = {
  askConfirm: "Do you want to receive our news?",
  confirm: "Yes, subscribe me",
  askUnsubscribe: "Do you no longer want to receive our news?",
  unsubscribe: "Unsubscribe",
  confirmed: "Thank you. You are subscribed.",
  unsubscribed: "You are unsubscribed and will receive no more news.",
  void: "This link is no longer valid.",
  failed: "That did not work. Please try again in a few minutes.",
};

const LANGUAGES: ReadonlyMap<string, Words> = new Map([
  ["en", ENGLISH],
  [
    "de",
    {
      askConfirm: "Möchten Sie unsere Neuigkeiten erhalten?",
      confirm: "Ja, anmelden",
      askUnsubscribe: "Möchten Sie unsere Neuigkeiten nicht mehr erhalten?",
      unsubscribe: "Abmelden",
      confirmed: "Vielen Dank. Sie sind angemeldet.",
      unsubscribed: "Sie sind abgemeldet und erhalten keine Neuigkeiten mehr.",
      void: "Dieser Link ist nicht mehr gültig.",
      failed: "Das hat nicht geklappt. Bitte versuchen Sie es in einigen Minuten noch einmal.",
    },
  ],
  [
    "fr",
    {
      askConfirm: "Souhaitez-vous recevoir nos actualités ?",
      confirm: "Oui, m’abonner",
      askUnsubscribe: "Souhaitez-vous ne plus recevoir nos actualités ?",
      unsubscribe: "Me désabonner",
      confirmed: "Merci. Vous êtes abonné.",
      unsubscribed: "Vous êtes désabonné et ne recevrez plus d’actualités.",
      void: "Ce lien n’est plus valable.",
      failed: "Cela n’a pas fonctionné. Veuillez réessayer dans quelques minutes.",
    },
  ],
  [
    "es",
    {
      askConfirm: "¿Quiere recibir nuestras novedades?",
      confirm: "Sí, suscribirme",
      askUnsubscribe: "¿Ya no quiere recibir nuestras novedades?",
      unsubscribe: "Darme de baja",
      confirmed: "Gracias. Su suscripción está confirmada.",
      unsubscribed: "Se ha dado de baja y no recibirá más novedades.",
      void: "Este enlace ya no es válido.",
      failed: "No ha funcionado. Inténtelo de nuevo dentro de unos minutos.",
    },
  ],
  [
    "it",
    {
      askConfirm: "Desidera ricevere le nostre novità?",
      confirm: "Sì, iscrivimi",
      askUnsubscribe: "Non desidera più ricevere le nostre novità?",
      unsubscribe: "Annulla l’iscrizione",
      confirmed: "Grazie. L’iscrizione è confermata.",
      unsubscribed: "L’iscrizione è annullata: non riceverà altre novità.",
      void: "Questo link non è più valido.",
      failed: "Non ha funzionato. Riprovi tra qualche minuto.",
    },
  ],
  [
    "nl",
    {
      askConfirm: "Wilt u ons nieuws ontvangen?",
      confirm: "Ja, aanmelden",
      askUnsubscribe: "Wilt u ons nieuws niet meer ontvangen?",
      unsubscribe: "Afmelden",
      confirmed: "Dank u. U bent aangemeld.",
      unsubscribed: "U bent afgemeld en ontvangt geen nieuws meer.",
      void: "Deze link is niet meer geldig.",
      failed: "Dat is niet gelukt. Probeer het over enkele minuten opnieuw.",
    },
  ],
  [
    "pl",
    {
      askConfirm: "Czy chcesz otrzymywać nasze wiadomości?",
      confirm: "Tak, zapisz mnie",
      askUnsubscribe: "Czy nie chcesz już otrzymywać naszych wiadomości?",
      unsubscribe: "Wypisz mnie",
      confirmed: "Dziękujemy. Subskrypcja jest potwierdzona.",
      unsubscribed: "Wypisano. Nie będziesz już otrzymywać wiadomości.",
      void: "Ten link stracił ważność.",
      failed: "Nie udało się. Spróbuj ponownie za kilka minut.",
    },
  ],
]);

/** Headers of every such page: it loads nothing, runs nothing, cannot be framed and sends no referrer. */
export const LINK_PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow",
};

const STYLE =
  ":root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;font:1.125rem/1.5 system-ui," +
  "sans-serif}main{max-width:28rem;padding:2rem;text-align:center}h1{font-size:1.25rem;margin:0 0 1rem}p{margin:0 0 1.5rem}" +
  "button{font:inherit;padding:.75rem 1.5rem;border:0;border-radius:.5rem;background:#0b57d0;color:#fff;cursor:pointer}" +
  "button:focus-visible{outline:3px solid;outline-offset:3px}";

/** With `shopName` "" the shop's line is left out. `acceptLanguage` is the header of the request. */
export function linkPage(state: LinkPageState, shopName: string, acceptLanguage: string | undefined): string {
  const [language, words] = preferred(acceptLanguage);
  const [text, button] = wordsOf(state, words);
  const form = button === "" ? "" : `<form method="post"><button>${escaped(button)}</button></form>`;
  const title = shopName === "" ? text : shopName;
  const heading = shopName === "" ? "" : `<h1>${escaped(shopName)}</h1>`;
  return (
    `<!doctype html><html lang="${language}"><meta charset="utf-8"><title>${escaped(title)}</title>` +
    `<meta name="viewport" content="width=device-width"><style>${STYLE}</style>` +
    `<main>${heading}<p role="status">${escaped(text)}</p>${form}</main></html>`
  );
}

function wordsOf(state: LinkPageState, words: Words): readonly [text: string, button: string] {
  if (state === "ask_confirm") return [words.askConfirm, words.confirm];
  if (state === "ask_unsubscribe") return [words.askUnsubscribe, words.unsubscribe];
  return [words[state], ""];
}

/** The best available language by weight; otherwise English. */
function preferred(acceptLanguage = ""): readonly [string, Words] {
  const asked = acceptLanguage
    .slice(0, 512)
    .split(",")
    .map((part) => {
      const [, language = "", weight = "1"] =
        /^\s*([A-Za-z]{2})(?:-[A-Za-z0-9-]*)?\s*(?:;\s*q=([01](?:\.\d{0,3})?))?\s*$/.exec(part) ?? [];
      return { language: language.toLowerCase(), weight: Number(weight) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  for (const { language } of asked) {
    const words = LANGUAGES.get(language);
    if (words !== undefined) return [language, words];
  }
  return ["en", ENGLISH];
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}
