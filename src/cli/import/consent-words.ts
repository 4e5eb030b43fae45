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

/** States of a subscription, of an account, or of an address that can be mailed. */
const ACTIVE = new Set(
  "active, aktiv, actif, activo, ativo, attivo, aktywny, enabled, confirmed, verified, valid".split(", "),
);

export function isActive(cell: string): boolean {
  return ACTIVE.has(wordOf(cell.normalize("NFKC").trim().toLowerCase()));
}

/** Words that tell consent in whatever column they stand. */
const TELLS = new Set(
  [
    "subscribed, subscribe, opt in, opted in, opt out, optout, hard bounced, hard bounce, blacklisted, blocklisted, do not email, do not mail",
    "do not contact, no email, no newsletter, abonniert, abgemeldet, ausgetragen, abbestellt, wypisany, wypisana, rezygnacja, rezygnujacy",
    "abonne, desabonne, desabonnee, desinscrit, desinscrite, dado de baja, dada de baja, baja, de baja, desuscrito, descadastrado, disiscritto",
    "disiscritta, cancellato dalla newsletter, uitgeschreven, afgemeld, odhlasen, odhlaseno, odhlaseny, avmeldt, frameldt, afmeldt",
    "avregistrerad, avprenumererad, leiratkozott, dezabonat, odjavljen, peruutettu, отписан, отписался, отписана, відписаний, 退订, 已退订, 配信停止, 購読解除, 수신거부",
  ].flatMap((line) => line.split(", ").map(wordOf)),
);

/** Whether a cell tells consent by itself: `unsubscribed` in a column of any name. */
export function tellsConsent(cell: unknown): boolean {
  if (typeof cell !== "string" || cell.length > 40) return false;
  const word = wordOf(cell.normalize("NFKC").trim().toLowerCase());
  return TELLS.has(word) || /\b(un|non|not ?)subscribed?\b|\bopted (in|out)\b/.test(word);
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
