/** Which names of columns look like consent, in the words of shops and mail services. Too many is safe: the import stops and says so. */
import { wordsOf } from "./column-words.js";

/** Parts of words. */
const PARTS = [
  "subscri, unsub, newsletter, news letter, opted, consent, permission, marketing, donot, blacklist, blocklist, suppress, bounce",
  "complain, mailing, ezine, emailing, mailout, exclude, quarantin, ineligib, deactiv, legal basis, lawful basis, spam",
  "revok, withdrawn, withdrew, oppos, objection, objected, sperrv, mailable, contactable, reachable, sendable, deliverable, addressable, marketable, communication, preferences, notif",
  // German
  "einwillig, abonn, abgemeldet, angemeldet, abmeld, anmeld, erlaub, zustimm, abbestell, widerruf, widerspr, rundbrief, rundschreiben",
  "infobrief, infomail, verteiler, ausgetragen, eingetragen, angebote, gesperrt, werbe, kommunikation, benachrichtig",
  // Polish, Czech, Slovak
  "zgod, wypis, zapis, subskry, rezygn, biuletyn, oferty, sprzeciw, reklam, handlow, promocj, powiadom, aktywn",
  "souhlas, suhlas, odber, odhlas, prihlas, zpravodaj, spravodaj, obchodni, obchodne, novinky, nabidky",
  // French, Spanish, Italian, Portuguese, Romanian
  "inscri, iscri, suscri, consens, assinan, bolet, accett, acept, aceit, autoriz, autoris, infolettre, lettre d information, bulletin",
  "actualites, offres, publicid, pubblicit, publicit, promocion, promozion, promoco, ofertas, oferte, offerte, novedades, novidades, notiziario",
  "comunicac, comunicaz, descadastr, dezabon, abonat, abonad, consimt, buletin, recibir, recevoir, ricevere, receber, desactiv, informativo",
  // Dutch, Swedish, Danish, Norwegian, Finnish
  "aangemeld, afgemeld, toestemming, nieuwsbrief, uitgeschreven, uitschrij, inschrij, reclame, aanbieding, akkoord, samty, prenumer, nyhetsbrev",
  "nyhedsbrev, tilmeld, afmeld, avmeld, pameld, reklame, markedsforing, marknadsforing, utskick, avregistrer, uutiskirje, markkinointi",
  "suostumus, tilaaja, tilaus, suoramark",
  // Hungarian, Turkish, Croatian, Slovene, the Baltic languages, Indonesian, Vietnamese
  "hirlevel, iratkoz, hozzajarul, reklam, ajanlat, bulten, abonelik, kampanya, ticari ileti, bilten, pretplat, odjav, prijav, pristan, suglas",
  "soglas, privol, naujienlaisk, sutikim, jaunum, piekris, uudiskir, nousolek, liitun, langganan, setuju, ban tin, dang ky, dong y",
  // Russian, Ukrainian, Bulgarian, Greek
  "подпис, підпис, отпис, відпис, соглас, съглас, згод, рассыл, розсил, новост, новин, реклам, абонам, бюлетин, активн",
  "ενημερωτικ, συναιν, συγκαταθ, εγγραφ, συνδρομ, προσφορ, διαγραφ",
  // Chinese, Japanese, Korean, Arabic, Hebrew, Thai
  "订阅, 訂閱, 退订, 退訂, 同意, 许可, 許可, 电子报, 電子報, 营销, 行銷, 通讯, 通訊, 广告, 廣告, 接收",
  "購読, 配信, メルマガ, ニュースレター, メールマガジン, 受信, 受け取, 希望, お知らせ, 案内, 広告, 수신, 동의, 구독, 뉴스레터, 마케팅, 광고",
  "اشتراك, نشرة, موافق, דיוור, ניוזלטר, הסכמ, תפוצה, מינוי, สมัคร, รับข่าว, จดหมายข่าว, ยินยอม",
];

/** Beginnings of words that others could hold. */
const BEGINNINGS = [
  "contacter, contactar, contattare, contatar, kontaktes, kontaktas, envoyer, enviar, inviare, mailen, gemail, anschreib, verbot",
  "wysyl, nezasil, zasilat, писать, писати, halua",
  "gdpr, rodo, dsgvo, rgpd, lgpd, casl, tcpa, pecr, agree, allow, accept, werb, promo, confirm, wants, wish, receiv, interested, offers",
  "izin, onay, abone, lupa, oferta, consenti, acord, odjav, abono, sperre, kontaktsperr",
];

/** Whole words, one or several. */
const WORDS =
  /\b(opt (in|out)|do not|does not|dont|no (e?mail|news|sms|contact)|cleaned|news|deals|updates|digest|alerts?|junk|removed|stop|edm|e dm|direct mail|baja|robinson|invalid|blocked|banned|(is |in)?active|(in)?activated|(en|dis)abled|actif|inactif|activo|inactivo|attivo|ativo|inativo|aktiv|inaktiv|aktiviert|deaktiviert|etkin)\b/;
/** Whole names. */
const NAMES =
  /^(is )?(dnc|nl|mkt|subs?|ads|adverts?|mails|mail list|gazette|stopped|left|sendmail)( (status|flag|ok|yes|no|at|on|date|time))?$/;
const NOT =
  /(?<!\p{L})(keine?|ohne|nicht|geen|niet|ne pas|ej|inte|ikke|nao|senza|sans|bez|без|не|nem|hayir) \p{L}|lupa\b/u;
const STATE =
  /\b(email|sms|lists?|member|subscriber|consent|contact) (status|state)\b|\b(email|sms|contact) frequency\b/;
const MAIL = "(e?mail|mails|sms|text|texts|contact|contacted|promo|promos|kontakt|phone|call|calls|whatsapp|push)";
const MAY =
  "(ok|okay|yes|no|flag|wanted|on|off|choice|enabled|disabled|active|inactive|allowed|pref|prefs|preference|club|program|valid)";
const MAY_MAIL = new RegExp(
  `\\b${MAIL} ${MAY}\\b|\\b(ok|okay|yes|can|may|cannot|should|send|get|gets|want|like|likes|please|never|not|no)( to| be| for| we| i| me| us| by| via)* ${MAIL}\\b|^contact (me|by|via)\\b`,
);

const LOOKS = [
  new RegExp(stems(PARTS).join("|")),
  new RegExp(`(?<!\\p{L})(${stems(BEGINNINGS).join("|")})`, "u"),
  ...[WORDS, NAMES, NOT, STATE, MAY_MAIL],
];

const NEVER =
  /^(utm|marketing (campaign|source|channel|cost))\b|^mailing (address|street|city|state|zip|postal|postcode|country|county|province|latitude|longitude|geocode)\b|^promo(tion)? ?code|^(first|last) activ/;

function stems(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(", ")).map(wordsOf);
}

/** @param words a name as `wordsOf` writes it */
export function looksLikeConsent(words: string): boolean {
  return !NEVER.test(words) && LOOKS.some((part) => part.test(words));
}
