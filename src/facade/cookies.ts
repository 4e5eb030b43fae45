import { hash } from "node:crypto";
import { decodePercent } from "./form.js";

/**
 * Returns the value of the first cookie called `name` in a Cookie header, percent-decoded, or "". Decodes no other:
 * shops have dozens of cookies, and an object of all of them would cost more than the rest of the request.
 */
export function readCookie(header: string | undefined, name: string): string {
  if (header === undefined) return "";
  for (let from = 0; ; ) {
    const at = header.indexOf(name, from);
    if (at === -1) return "";
    const after = at + name.length;
    if (startsCookie(header, at) && header.charCodeAt(after) === 0x3d) {
      const end = header.indexOf(";", after);
      const value = header.slice(after + 1, end === -1 ? header.length : end).trim();
      return decodePercent(
        value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value,
      );
    }
    from = after;
  }
}

/** True when a cookie begins at `at`: at the header's start, or after a `;` and spaces. */
function startsCookie(header: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && header.charCodeAt(before) === 0x20) before--;
  return before < 0 || header.charCodeAt(before) === 0x3b;
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

export interface StatusCookies {
  /** The cached answer for the visitor; undefined if it is missing or malformed. */
  read(cookieHeader: string | undefined, appId: string, visitorId: string): VisitorStatus | undefined;
  /** Set-Cookie headers that cache an answer. */
  store(appId: string, visitorId: string, answer: VisitorStatus): string[];
  /** Set-Cookie headers that remove a cached answer. */
  expire(appId: string): string[];
}

const CHECKED = "CustomerSubscribedChecked_";
const STATUS = "CustomerSubscribedStatus_";
const IDENTIFIED = "CustomerSubscribedIdentified_";

const STATUSES: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/**
 * `secure` means that storefronts reach the service by https; only then may the cookies travel to other sites. With
 * `maxAgeSeconds` 0 nothing is cached.
 */
export function createStatusCookies(secure: boolean, maxAgeSeconds: number): StatusCookies {
  const attributes = `; Path=/; HttpOnly${secure ? "; Secure; SameSite=None; Partitioned" : "; SameSite=Lax"}`;
  const set = (name: string, appId: string, value: string, maxAge: number) =>
    `${name}${appId}=${value}; Max-Age=${maxAge}${attributes}`;
  return {
    read(header, appId, visitorId) {
      if (maxAgeSeconds === 0 || header === undefined) return undefined;
      const status = STATUSES.get(readCookie(header, STATUS + appId));
      const identified = readCookie(header, IDENTIFIED + appId);
      if (status === undefined || (identified !== "true" && identified !== "false")) return undefined;
      if (identified === "false" && status !== null) return undefined;
      if (readCookie(header, CHECKED + appId) !== fingerprintHash(visitorId)) return undefined;
      return { identified: identified === "true", status };
    },
    store(appId, visitorId, { identified, status }) {
      return [
        set(CHECKED, appId, fingerprintHash(visitorId), maxAgeSeconds),
        set(STATUS, appId, String(status), maxAgeSeconds),
        set(IDENTIFIED, appId, String(identified), maxAgeSeconds),
      ];
    },
    expire(appId) {
      return [set(CHECKED, appId, "", 0), set(STATUS, appId, "", 0), set(IDENTIFIED, appId, "", 0)];
    },
  };
}

function fingerprintHash(visitorId: string): string {
  return hash("sha256", visitorId, "hex").slice(0, 16);
}
