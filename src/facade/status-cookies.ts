/**
 * The cookies in which a browser keeps the answer of /subscription_status, so that most checks cost no read:
 *
 *   CustomerSubscribedChecked_{app_id}      16 hex digits of SHA-256 of the visitor's id
 *   CustomerSubscribedStatus_{app_id}       true, false or null
 *   CustomerSubscribedIdentified_{app_id}   true or false
 *
 * The hash keeps one visitor's cookies from answering for another on a shared browser.
 */
import { hash } from "node:crypto";
import { readCookie } from "./cookies.js";

/** What /subscription_status says. `status` is null for unknown; who is not identified has no status. */
export interface VisitorStatus {
  readonly identified: boolean;
  readonly status: boolean | null;
}

export interface StatusCookies {
  /** The cached answer for the visitor; undefined when there is none, or one that makes no sense. */
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
