/**
 * The page behind a link in a mail: a question with one button, or the result. It loads nothing and runs no script. Its
 * language follows the browser's preference.
 */

import { escapeUTF8 } from "entities";

/** What the page shows. */
export type LinkPageState = "ask_confirm" | "ask_unsubscribe" | "confirmed" | "unsubscribed" | "void" | "failed";

/** The texts of the states, and of the buttons below the two questions. */
type Words = Readonly<Record<LinkPageState | "confirm" | "unsubscribe", string>>;

const ENGLISH: Words = {
  ask_confirm: "Do you want to receive our news?",
  confirm: "Yes, subscribe me",
  ask_unsubscribe: "Do you no longer want to receive our news?",
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
      ask_confirm: "Möchten Sie unsere Neuigkeiten erhalten?",
      confirm: "Ja, anmelden",
      ask_unsubscribe: "Möchten Sie unsere Neuigkeiten nicht mehr erhalten?",
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
      ask_confirm: "Souhaitez-vous recevoir nos actualités ?",
      confirm: "Oui, m’abonner",
      ask_unsubscribe: "Souhaitez-vous ne plus recevoir nos actualités ?",
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
      ask_confirm: "¿Quiere recibir nuestras novedades?",
      confirm: "Sí, suscribirme",
      ask_unsubscribe: "¿Ya no quiere recibir nuestras novedades?",
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
      ask_confirm: "Desidera ricevere le nostre novità?",
      confirm: "Sì, iscrivimi",
      ask_unsubscribe: "Non desidera più ricevere le nostre novità?",
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
      ask_confirm: "Wilt u ons nieuws ontvangen?",
      confirm: "Ja, aanmelden",
      ask_unsubscribe: "Wilt u ons nieuws niet meer ontvangen?",
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
      ask_confirm: "Czy chcesz otrzymywać nasze wiadomości?",
      confirm: "Tak, zapisz mnie",
      ask_unsubscribe: "Czy nie chcesz już otrzymywać naszych wiadomości?",
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
export function linkPage(state: LinkPageState, shopName: string, acceptLanguage = ""): string {
  const language = preferred(acceptLanguage);
  const words = LANGUAGES.get(language) ?? ENGLISH;
  const text = words[state];
  const button = state === "ask_confirm" ? words.confirm : state === "ask_unsubscribe" ? words.unsubscribe : "";
  const form = button === "" ? "" : `<form method="post"><button>${escapeUTF8(button)}</button></form>`;
  const heading = shopName === "" ? "" : `<h1>${escapeUTF8(shopName)}</h1>`;
  return (
    `<!doctype html><html lang="${language}"><meta charset="utf-8"><title>${escapeUTF8(shopName || text)}</title>` +
    `<meta name="viewport" content="width=device-width"><style>${STYLE}</style>` +
    `<main>${heading}<p role="status">${escapeUTF8(text)}</p>${form}</main></html>`
  );
}

const ACCEPTED = /^\s*([a-z]{2})(?:-[a-z0-9-]*)?\s*(?:;\s*q=([01](?:\.\d{0,3})?))?\s*$/;

/** The available language of the greatest weight, the first of several; otherwise English. */
function preferred(acceptLanguage: string): string {
  let [best, most] = ["en", 0];
  for (const part of acceptLanguage.slice(0, 512).split(",")) {
    const [, language = "", weight = "1"] = ACCEPTED.exec(part.toLowerCase()) ?? [];
    if (LANGUAGES.has(language) && Number(weight) > most) [best, most] = [language, Number(weight)];
  }
  return best;
}
