import { readYesOrNo } from "../../parse/yes-or-no.js";

const YES = new Set(
  [
    "active, aktiv, actif, activo, attivo, aktywny, opted in, opt in, confirmed, confirmed opt in, double opt in, single opt in, accepted, accepts, agreed, granted",
    "given, allowed, enabled, consented, t, 1.0, ja, tak, oui, si, sim, ano, evet, igen, kylla, da, \u0434\u0430, sí",
    "abonniert, angemeldet, zapisany, zapisana, abonne, inscrit, suscrito, iscritto, inscrito, aangemeld, ingeschreven",
  ].flatMap((line) => line.split(", ")),
);

const NO = new Set(
  [
    "inactive, inaktiv, opted out, opt out, unsubscribe, not subscribed, cleaned, bounced, hard bounced, hard bounce, complained, spam",
    "complaint, blacklisted, blocklisted, blocked, suppressed, user suppressed, invalid email, withdrawn, revoked, denied",
    "refused, declined, rejected, disabled, f, nein, nie, non, nee, nej, nao, ne, nem, hayir, ei, \u043d\u0435\u0442",
    "abgemeldet, wypisany, wypisana, desabonne, desinscrit, dado de baja, baja, disiscritto, afgemeld, uitgeschreven",
  ].flatMap((line) => line.split(", ")),
);

/** Cells without a statement, and states in which nobody has decided yet. */
const NOTHING = new Set(
  [
    ", unknown, null, \\n, none, undefined, nan, #n/a, n/a, na, (not set), not set, -, [], {}, pending, unconfirmed",
    "not activated, never subscribed, not confirmed, transactional, 0000-00-00, 0000-00-00 00:00:00",
  ].flatMap((line) => line.split(", ")),
);

/** Words that tell consent in whatever column they stand. */
const TELLS =
  /^((un|not )?subscribed|unsubscribe|opt(ed)? ?(in|out)|abonniert|abgemeldet|wypisan[ya]|(des)?abonne|desinscrit|disiscritto|uitgeschreven)$/;

/** Whether a cell tells consent by itself: `unsubscribed` in a column of any name. */
export function tellsConsent(cell: unknown): boolean {
  return (
    typeof cell === "string" && cell.length <= 20 && TELLS.test(wordOf(cell.normalize("NFKC").trim().toLowerCase()))
  );
}

function wordOf(plain: string): string {
  return plain
    .replace(/^[["'\s]+|[\]"'\s]+$/g, "")
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/(?<=\p{L})[\s_-]+(?=\p{L})/gu, " ");
}

/** Yes or no; null when nothing is said, undefined for a text that cannot be read. */
export function readConsent(cell: string): boolean | null | undefined {
  const plain = cell.normalize("NFKC").trim().toLowerCase();
  if (NOTHING.has(plain)) return null;
  const word = wordOf(plain);
  if (NOTHING.has(word)) return null;
  if (NO.has(word)) return false;
  if (YES.has(word)) return true;
  return readYesOrNo(word);
}
