import { hash } from "node:crypto";
import { decodePercent } from "./form.js";
import { isNothing, trimSpaces } from "./text-values.js";

/**
 * Returns the value of the first cookie called `name` in a Cookie header, percent-decoded, or "". Decodes no other:
 * shops have dozens of cookies, and an object of all of them would cost more than the rest of the request.
 */
export function readCookie(header: string | undefined, name: string): string {
  if (header === undefined) return "";
  const start = `${name}=`;
  for (let at = header.indexOf(start); at !== -1; at = header.indexOf(start, at + 1)) {
    const before = header.slice(0, at).trimEnd();
    if (before !== "" && !before.endsWith(";")) continue;
    const [value = ""] = header.slice(at + start.length).split(";", 1);
    return decodePercent(value.trim().replace(/^"(.*)"$/s, "$1"));
  }
  return "";
}

/** The fingerprint id of the visitor; "" for none. */
export function readVisitorCookie(header: string | undefined): string {
  const id = trimSpaces(readCookie(header, "fp_ccid"));
  return isNothing(id) ? "" : id;
}

/**
 * The cookies in which a browser keeps the answer of /subscription_status, so that most checks cost no read:
 *
 *   CustomerSubscribedChecked_{app_id}      16 hex digits of SHA-256 of the visitor's id
 *   CustomerSubscribedStatus_{app_id}       true, false or null
 *   CustomerSubscribedIdentified_{app_id}   true or false
 *
 * The hash keeps one visitor's cookies from answering for another on a shared browser.
 */

/** The answer of /subscription_status. `status` is null if unknown; visitors who are not identified have none. */
export interface VisitorStatus {
  readonly identified: boolean;
  readonly status: boolean | null;
}

const ANSWERS: ReadonlyMap<string, VisitorStatus> = new Map([
  ["true true", { identified: true, status: true }],
  ["true false", { identified: true, status: false }],
  ["true null", { identified: true, status: null }],
  ["false null", { identified: false, status: null }],
]);

const CHECKED = "CustomerSubscribedChecked_";
const STATUS = "CustomerSubscribedStatus_";
const IDENTIFIED = "CustomerSubscribedIdentified_";

export type StatusCookies = ReturnType<typeof createStatusCookies>;

/**
 * `secure` means that storefronts reach the service by https; only then may the cookies travel to other sites. With
 * `maxAgeSeconds` 0 nothing is cached.
 */
export function createStatusCookies(secure: boolean, maxAgeSeconds: number) {
  const attributes = `; Path=/; HttpOnly${secure ? "; Secure; SameSite=None; Partitioned" : "; SameSite=Lax"}`;
  const set = (appId: string, maxAge: number, checked: string, status: string, identified: string): string[] =>
    [`${CHECKED}${appId}=${checked}`, `${STATUS}${appId}=${status}`, `${IDENTIFIED}${appId}=${identified}`].map(
      (cookie) => `${cookie}; Max-Age=${maxAge}${attributes}`,
    );
  return {
    /** The cached answer for the visitor; undefined if it is missing or malformed. */
    read(header: string | undefined, appId: string, visitorId: string): VisitorStatus | undefined {
      if (maxAgeSeconds === 0 || readCookie(header, CHECKED + appId) !== fingerprintHash(visitorId)) return undefined;
      return ANSWERS.get(`${readCookie(header, IDENTIFIED + appId)} ${readCookie(header, STATUS + appId)}`);
    },
    /** Set-Cookie headers that cache an answer. */
    store: (appId: string, visitorId: string, { identified, status }: VisitorStatus): string[] =>
      set(appId, maxAgeSeconds, fingerprintHash(visitorId), String(status), String(identified)),
    /** Set-Cookie headers that remove a cached answer. */
    expire: (appId: string): string[] => set(appId, 0, "", "", ""),
  };
}

function fingerprintHash(visitorId: string): string {
  return hash("sha256", visitorId, "hex").slice(0, 16);
}
