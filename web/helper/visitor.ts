import type { Cookies, Environment } from "./environment.js";
import type { Shelf } from "./shelf.js";

/** The ids of a browser: `cId` in local storage, `fpccid` in the cookie `fp_ccid`. Both are "" for a visitor without consent. */
export interface VisitorIds {
  readonly cId: string;
  readonly fpccid: string;
}

export interface Visitor {
  ids(): VisitorIds;
  /** Stores nothing about the visitor and sends none of their events. */
  readonly isUnknown: boolean;
  /** The visitor's choice, kept until the next one. */
  consent(isGiven: boolean): void;
}

const FINGERPRINT = "fp_ccid";
const YEAR_S = 365 * 24 * 3600;
const ID = /^[\w.:-]{1,255}$/;
/** Names of all values stored about a visitor. */
const KEPT = ["client", "history", "frames", "answers", "clicks", "outbox", "version"];

/**
 * @param needsConsent store and send nothing before consent. Global Privacy Control counts as a refusal until the
 * visitor consents in the shop.
 */
export function createVisitor(
  shelf: Shelf,
  environment: Pick<Environment, "cookies" | "newId" | "refusesTracking">,
  needsConsent: boolean,
): Visitor {
  const { cookies, newId, refusesTracking } = environment;
  const isUnknown = () => {
    const said = shelf.read("consent");
    return said === true ? false : said === false || needsConsent || refusesTracking;
  };
  const clientId = () => {
    const kept = shelf.read("client");
    if (typeof kept === "string" && ID.test(kept)) return kept;
    const made = newId();
    shelf.write("client", made);
    return made;
  };
  const forget = () => {
    for (const name of KEPT) shelf.remove(name);
    if (cookies.read(FINGERPRINT) !== undefined) cookies.write(FINGERPRINT, "", 0);
  };
  if (isUnknown()) forget();
  return {
    get isUnknown() {
      return isUnknown();
    },
    ids: () => (isUnknown() ? { cId: "", fpccid: "" } : { cId: clientId(), fpccid: fingerprint(cookies, newId) }),
    consent(isGiven) {
      shelf.write("consent", isGiven);
      if (!isGiven) forget();
    },
  };
}

/** An existing cookie is used unchanged: other programs of the shop may read it. */
function fingerprint(cookies: Cookies, newId: () => string): string {
  const found = cookies.read(FINGERPRINT);
  if (found !== undefined && ID.test(found)) return found;
  const made = newId();
  cookies.write(FINGERPRINT, made, YEAR_S);
  return made;
}
