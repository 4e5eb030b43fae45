import { describe, expect, it } from "vitest";
import { createColumnPlan } from "../../../src/catalog/feed/columns.js";
import { UnusableFile } from "../../../src/catalog/feed/feed-errors.js";
import { createFeedReader } from "../../../src/catalog/feed/feed-reader.js";
import { BadLine, isBad } from "../../../src/catalog/feed/rows.js";
import { CONTACT_FIELDS, createContactReader, REMARKS } from "../../../src/cli/import/contact-row.js";
import type { ImportedContact } from "../../../src/gen/aisle/v1/contact_pb.js";
import { SubscriptionState } from "../../../src/gen/aisle/v1/subscription_pb.js";

const NOW = Date.UTC(2026, 0, 1);

/** The contacts of a file, as the import sends them. */
function read(text: string, { maps = [], ignored = [] }: { maps?: string[]; ignored?: string[] } = {}) {
  const remarks: string[] = [];
  const options = { plan: createColumnPlan(CONTACT_FIELDS, maps), takesXml: false, onHeader: () => undefined };
  const feed = createFeedReader(options);
  const reader = createContactReader({ maps, ignored, remark: (line) => remarks.push(line), now: () => NOW });
  const contacts: (ImportedContact | string)[] = [];
  for (const entry of [...feed.push(Buffer.from(text)), ...feed.end()]) {
    try {
      contacts.push(isBad(entry) ? entry.reason : reader.read(entry));
    } catch (error) {
      if (!(error instanceof BadLine)) throw error;
      contacts.push(error.message);
    }
  }
  return { contacts, remarks, unseen: reader.unseen() };
}

const { SUBSCRIBED, UNSUBSCRIBED, UNSPECIFIED } = SubscriptionState;

function states(text: string, how?: Parameters<typeof read>[1]) {
  return read(text, how).contacts.map((one) => (typeof one === "string" ? one : [one.emailState, one.smsState]));
}

describe("a list of contacts", () => {
  it.each([
    [
      "Shopify",
      "First Name,Email,Accepts Email Marketing,Accepts SMS Marketing,Phone\nA,a@x.de,no,yes,+48600100200",
      [UNSUBSCRIBED, SUBSCRIBED],
    ],
    ["Shopify, of earlier", "Email,Accepts Marketing\na@x.de,no", [UNSUBSCRIBED, UNSPECIFIED]],
    [
      "Mailchimp, who left",
      "Email Address,OPTIN_TIME,UNSUB_TIME,UNSUB_REASON\na@x.de,2024-01-01 10:00:00,2025-01-01 10:00:00,spam",
      [UNSUBSCRIBED, UNSPECIFIED],
    ],
    [
      "Mailchimp, who stayed",
      "Email Address,OPTIN_TIME,OPTIN_IP\na@x.de,2024-01-01 10:00:00,192.0.2.1",
      [SUBSCRIBED, UNSPECIFIED],
    ],
    [
      "Mailchimp, who bounced",
      "Email Address,OPTIN_TIME,CLEAN_TIME\na@x.de,2024-01-01,2025-01-01",
      [UNSUBSCRIBED, UNSPECIFIED],
    ],
    [
      "Klaviyo",
      "Email,Phone Number,Email Marketing Consent,SMS Marketing Consent\na@x.de,+48600100200,UNSUBSCRIBED,SUBSCRIBED",
      [UNSUBSCRIBED, SUBSCRIBED],
    ],
    [
      "Klaviyo, suppressed",
      'Email,Email Marketing Consent,Email Suppressions\na@x.de,SUBSCRIBED,"[""HARD_BOUNCE""]"',
      [UNSUBSCRIBED, UNSPECIFIED],
    ],
    ["Brevo", "EMAIL,SMS,OPT_IN,EMAIL_BLACKLISTED\na@x.de,48600100200,true,true", [UNSUBSCRIBED, UNSPECIFIED]],
    ["WooCommerce with Mailchimp", "email,mailchimp_woocommerce_is_subscribed\na@x.de,0", [UNSUBSCRIBED, UNSPECIFIED]],
    ["Magento", "Email,is_subscribed\na@x.de,0", [UNSUBSCRIBED, UNSPECIFIED]],
    ["PrestaShop", "email,newsletter\na@x.de,0", [UNSUBSCRIBED, UNSPECIFIED]],
    ["HubSpot", "Email,Unsubscribed from all email\na@x.de,true", [UNSUBSCRIBED, UNSPECIFIED]],
    ["Salesforce", "Email,HasOptedOutOfEmail\na@x.de,1", [UNSUBSCRIBED, UNSPECIFIED]],
    ["a German shop", "E-Mail;Newsletter abonniert\na@x.de;Nein", [UNSUBSCRIBED, UNSPECIFIED]],
    ["a Polish shop", "email;Zgoda na newsletter\na@x.de;nie", [UNSUBSCRIBED, UNSPECIFIED]],
    ["a French shop", "email;Abonné\na@x.de;oui", [SUBSCRIBED, UNSPECIFIED]],
    ["a database", "email,subscribed\na@x.de,f", [UNSUBSCRIBED, UNSPECIFIED]],
  ])("is read with the consent of %s", (_who, text, expected) => {
    expect(states(text)).toEqual([expected]);
  });

  it.each([
    "no",
    "No",
    "FALSE",
    "0",
    "0.0",
    "n",
    "off",
    "unsubscribed",
    "Not Subscribed",
    "opted-out",
    "OPTED_OUT",
    "nein",
    "non",
  ])("reads %j as no", (cell) => {
    expect(states(`email,subscribed\na@x.de,${cell}`)).toEqual([[UNSUBSCRIBED, UNSPECIFIED]]);
  });

  it.each(["", "null", "NULL", "\\N", "(not set)", "#N/A", "pending", "NEVER_SUBSCRIBED"])(
    "reads %j as nothing",
    (cell) => {
      expect(states(`email,subscribed\na@x.de,${cell}`)).toEqual([[UNSPECIFIED, UNSPECIFIED]]);
    },
  );

  it.each(["maybe", "2", "-1", "nope", "subscribed?", "yes/no"])(
    "refuses a line whose consent is %j, and names the column",
    (cell) => {
      const reason = "Accepts Email Marketing: subscribed, unsubscribed, 1, 0, yes, no or nothing is accepted";
      expect(read(`Email,Accepts Email Marketing\na@x.de,${cell}`).contacts).toEqual([reason]);
    },
  );

  it.each([
    "Marketing preference",
    "newsletter_flag",
    "Consent (promo)",
    "Do not disturb by mail",
    "optout_sms_v2",
    "Zgoda RODO 2",
    "Einwilligung vom Mai",
    "WhatsApp marketing",
    "email_status_code",
    "Подписка",
    "メルマガ",
    "consent_timestamp",
    // Mailjet, CleverReach, Brevo, HubSpot, Drip, Dotdigital, ActiveCampaign and GetResponse
    ...["IsExcludedFromCampaigns", "IsOptInPending", "deactivated", "activated", "smsBlacklistedReasonCode"],
    ...[
      "DNC",
      "revoked",
      "withdrawn",
      "objection",
      "opposed",
      "stopped",
      "is_sub",
      "sendmail",
      "nl",
      "mkt",
      "Sperrvermerk",
      "left_at",
    ],
    ...["hs_email_optout_123", "hs_email_quarantined", "Legal basis for processing", "eu_consent", "optInType"],
    ...["Lists status", "hs_email_is_ineligible", "deactivated_at", "email_unsubscribe_timestamp"],
    ...["Wants emails", "can_contact", "promo_emails", "is_active", "mail_ok", "email_ok", "reachable", "OK to email"],
    ...["Receives offers", "news", "special offers", "May we contact you", "sendable", "email_flag", "enabled", "eDM"],
    ...["communication_preferences", "Notify me", "never_email", "send_mail", "email_preferences"],
    ...[
      "ニュースレター",
      "メールマガジン",
      "配信希望",
      "uutiskirje",
      "suoramarkkinointi",
      "infolettre",
      "e-bülten",
      "bülten",
    ],
    ...[
      "lettre d'information",
      "désinscription",
      "offres par mail",
      "kontakt erlaubt",
      "Rundbrief",
      "E-Mail-Verteiler",
    ],
    ...["reklame", "markedsføring", "avmeldt", "utskick", "ofertas", "publicidad", "recibir noticias", "novidades"],
    ...["offerte", "pubblicità", "biuletyn", "sprzeciw", "informacje handlowe", "obchodní sdělení", "hozzájárulás"],
    ...[
      "reclame",
      "aanbiedingen",
      "consimțământ",
      "Рассылка",
      "згода",
      "ενημερωτικό δελτίο",
      "뉴스레터 수신",
      "电子报",
    ],
    ...["نشرة", "דיוור", "đăng ký", "izin", "pretplata", "naujienlaiškis", "uudiskiri"],
    ...[
      "Ne pas contacter",
      "No contactar",
      "niet mailen",
      "kein Kontakt",
      "nie wysyłać",
      "Не писать",
      "sähköpostilupa",
    ],
    // What says nothing surely of messages
    ...[
      "confirmed_at",
      "confirmed",
      "gdpr_consent",
      "gdpr",
      "rodo",
      "subscription_status",
      "subscription",
      "abonnement",
    ],
    ...["member_status", "contact_status", "subscription_date", "angemeldet", "inscrit", "privacy_consent"],
  ])("is not imported with the column %j, which looks like consent", (column) => {
    const text = `email;${column}\na@x.de;no`;
    expect(() => read(text)).toThrow(UnusableFile);
    expect(() => read(text)).toThrow(column);
    expect(states(text, { ignored: [column.toUpperCase()] })).toEqual([[UNSPECIFIED, UNSPECIFIED]]);
    expect(states(text, { maps: [`status=${column}`] })).toEqual([[UNSUBSCRIBED, UNSPECIFIED]]);
  });

  it.each(["active", "Active", "aktiv", "enabled"])("takes no status %j for a consent, unless it is mapped", (cell) => {
    expect(() => read(`email,status\na@x.de,${cell}`)).toThrow("The column status looks like consent");
    expect(() => read(`email,Email status\na@x.de,${cell}`)).toThrow("The column Email status looks like consent");
    const mapped = { maps: ["status=status"] };
    expect(states(`email,status\na@x.de,${cell}`, mapped)).toEqual([[SUBSCRIBED, UNSPECIFIED]]);
  });

  it("is not imported with a tag such as unsubscribed, unless tags are ignored", () => {
    const text = "email,tags\na@x.de,vip|unsubscribed";
    expect(() => read(text)).toThrow("The column tags looks like consent");
    expect(states(text, { ignored: ["tags"] })).toEqual([[UNSPECIFIED, UNSPECIFIED]]);
  });

  it.each([
    "unsubscribed",
    "baja",
    "Dado de baja",
    "wypisany",
    "Unsubscribed by user",
    "отписан",
    "Opted-out",
    "not subscribed",
    "Subscribed",
    "abgemeldet",
    "désabonné",
  ])("is not imported with the cell %j in a column of another name", (cell) => {
    const text = `email;state\na@x.de;Bavaria\nb@x.de;${cell}`;
    expect(() => read(text)).toThrow("The column state looks like consent");
    expect(states(text, { maps: ["status=state"] })[1]).not.toEqual([UNSPECIFIED, UNSPECIFIED]);
  });

  it("is not imported as JSON lines with such a field in any line", () => {
    const lines = '{"email":"a@x.de"}\n{"email":"b@x.de","newsletterFlag":false}';
    expect(() => read(lines)).toThrow("newsletterFlag looks like consent");
  });

  it("reads fields of JSON lines as columns", () => {
    const lines =
      '{"email":"a@x.de","acceptsMarketing":false}\n{"email":"b@x.de","emailMarketingConsent":"SUBSCRIBED"}';
    expect(states(lines)).toEqual([
      [UNSUBSCRIBED, UNSPECIFIED],
      [SUBSCRIBED, UNSPECIFIED],
    ]);
  });

  it.each([
    ["Magento", '{"id":1,"email":"a@x.de","extension_attributes":{"is_subscribed":false}}', UNSUBSCRIBED],
    [
      "Magento, by code",
      '{"email":"a@x.de","custom_attributes":[{"attribute_code":"newsletter","value":"0"}]}',
      UNSUBSCRIBED,
    ],
    ["HubSpot", '{"email":"a@x.de","properties":{"hs_email_optout":"true"}}', UNSUBSCRIBED],
    ["HubSpot, of earlier", '{"email":"a@x.de","properties":{"hs_email_optout":{"value":"true"}}}', UNSUBSCRIBED],
    ["custom fields", '{"email":"a@x.de","custom_fields":{"newsletter":"no"}}', UNSUBSCRIBED],
    ["WooCommerce", '{"email":"a@x.de","meta_data":[{"id":7,"key":"_newsletter","value":"no"}]}', UNSUBSCRIBED],
    [
      "Shopify",
      '{"email":"a@x.de","email_marketing_consent":{"state":"unsubscribed","consent_updated_at":null}}',
      UNSUBSCRIBED,
    ],
    ["a cell of JSON", 'email;properties\na@x.de;"{""newsletter"":true}"', SUBSCRIBED],
  ])("reads consent inside a field, as of %s", (_who, text, expected) => {
    expect(states(text)).toEqual([[expected, UNSPECIFIED]]);
  });

  it.each([
    [
      '"attributes":{"subscriptions":{"email":{"marketing":{"consent":"UNSUBSCRIBED"}}}}',
      "attributes.subscriptions.email.marketing.consent",
    ],
    [
      '"identifiers":[{"type":"email","channels":{"email":{"status":"nonSubscribed"}}}]',
      "identifiers.channels.email.status",
    ],
    ['"lists":[{"title":"A","status":"unsubscribed"}]', "lists.status"],
    ['"groups":["a","unsubscribed"]', "groups"],
    ['"profile":{"status":0}', "profile.status"],
  ])("stops at what looks like consent inside a field, unless its path is ignored or mapped: %s", (field, path) => {
    const text = `{"email":"a@x.de",${field}}`;
    expect(() => read(text)).toThrow(`The column ${path} looks like consent`);
    expect(states(text, { ignored: [path] })).toEqual([[UNSPECIFIED, UNSPECIFIED]]);
  });

  it("refuses a line nested so deeply that it is not read", () => {
    const text = `{"email":"a@x.de","a":${'{"b":'.repeat(40)}{"newsletter":false}${"}".repeat(40)}}`;
    expect(read(text).contacts).toEqual([expect.stringMatching(/^a(\.b)+: nested too deeply$/)]);
  });

  it.each(["email,phone\na@x.de,4.82294E+10", '{"email":"a@x.de","phone":4.82294E+10}', "phone\n48e9"])(
    "refuses a phone in scientific notation, whose digits are lost: %s",
    (text) => {
      expect(read(text).contacts).toEqual(["phone: written like 4.8E+10, so its digits are lost"]);
    },
  );

  it("maps a field by its path", () => {
    const text = '{"email":"a@x.de","attributes":{"subscriptions":{"email":{"consent":"UNSUBSCRIBED"}}}}';
    expect(states(text, { maps: ["status=attributes.subscriptions.email.consent"] })).toEqual([
      [UNSUBSCRIBED, UNSPECIFIED],
    ]);
  });

  it("leaves other columns alone", () => {
    const text =
      "email,Total Spent,Tax Exempt,Note,Default Address City,MEMBER_RATING,Created At,utm_marketing,Last Active,Mailing City,promo_code,Language,Company,verified_email,Orders Count,account_status,Contact owner,Lead Source,Points,Website\na@x.de,1,no,x,y,2,z,q,2025,a,b,c,d,yes,1,active,e,f,1,g";
    expect(states(text)).toEqual([[UNSPECIFIED, UNSPECIFIED]]);
  });

  it("tells a status without its address, which has no effect", () => {
    const { contacts, remarks } = read(
      "Email,Phone,Accepts Email Marketing,Accepts SMS Marketing\na@x.de,,yes,no\n,+48600100200,no,yes",
    );
    expect(contacts).toMatchObject([
      { emailState: SUBSCRIBED, smsState: UNSPECIFIED },
      { emailState: UNSPECIFIED, smsState: SUBSCRIBED },
    ]);
    expect(remarks).toEqual([REMARKS.sms, REMARKS.email]);
  });

  it("refuses a line in which two columns contradict each other, unless one is ignored", () => {
    const text = "email,newsletter,opt_in\na@x.de,1,0\nb@x.de,1,1";
    expect(states(text)).toEqual([
      "opt_in: contradicts newsletter; name one of them by --ignore-column",
      [SUBSCRIBED, UNSPECIFIED],
    ]);
    expect(states(text, { ignored: ["opt_in"] })).toEqual([
      [SUBSCRIBED, UNSPECIFIED],
      [SUBSCRIBED, UNSPECIFIED],
    ]);
  });

  it.each([
    ["a column given twice", "email,status,status\na@x.de,subscribed,unsubscribed", "status"],
    ["two spellings of a column", "email,Status,status \na@x.de,unsubscribed,subscribed", "status"],
    ["two columns of one field", "email,E-Mail Address\na@x.de,b@x.de", "email"],
    ["a name given twice", '{"email":"a@x.de","status":"unsubscribed","status":"subscribed"}', "status"],
    ["a name given twice, once with an escape", '{"email":"a@x.de","status":0,"st\\u0061tus":1}', "status"],
    ["a name given twice inside", '{"email":"a@x.de","properties":{"a":[{"b":1}],"c":0,"c":1}}', "c"],
    ["two spellings of a name", '{"email":"a@x.de","status":"unsubscribed","Status":"subscribed"}', "status"],
    ["a time given twice", "email,opt_in_time,Opt-In Time\na@x.de,2024-01-01,2025-01-01", "Opt-In Time"],
  ])("refuses a line with %s and other values, and names it", (_what, text, field) => {
    const [reason] = read(text).contacts;
    expect(reason).toMatch(new RegExp(`^${field}: given twice`));
  });

  it("takes a field given twice with one value, or only once with any", () => {
    expect(states("email,status,Status\na@x.de,subscribed, subscribed\nb@x.de,,unsubscribed")).toEqual([
      [SUBSCRIBED, UNSPECIFIED],
      [UNSUBSCRIBED, UNSPECIFIED],
    ]);
  });

  it("counts the last of several ends", () => {
    const text = "email,unsub_time,optin_time,clean_time\na@x.de,2023-01-01,2024-01-01,2025-01-01";
    expect(states(text)).toEqual([[UNSUBSCRIBED, UNSPECIFIED]]);
  });

  it("takes no absence of an opt-out for a consent", () => {
    expect(states("email,unsubscribed\na@x.de,no\nb@x.de,yes\nc@x.de,2025-01-01")).toEqual([
      [UNSPECIFIED, UNSPECIFIED],
      [UNSUBSCRIBED, UNSPECIFIED],
      [UNSUBSCRIBED, UNSPECIFIED],
    ]);
  });

  it("takes the time of the statement from its column", () => {
    const { contacts } = read("email,status,unsubscribed_at\na@x.de,unsubscribed,2025-01-01T00:00:00Z");
    expect(contacts).toMatchObject([{ changeTime: { seconds: BigInt(Date.UTC(2025, 0, 1) / 1000) } }]);
  });

  it("unsubscribes by a time of leaving that cannot be read", () => {
    expect(states("email,unsubscribed_at\na@x.de,01/02/25")).toEqual([[UNSUBSCRIBED, UNSPECIFIED]]);
  });

  it("knows which columns to ignore it has not met", () => {
    expect(read("email\na@x.de", { ignored: ["Consent 2"] }).unseen).toEqual(["Consent 2"]);
  });
});
