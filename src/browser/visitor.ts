import type { Cookies, Environment } from "./environment.js";
import type { Shelf } from "./shelf.js";

/** The names a browser goes by: `cId` in local storage, `fpccid` in the cookie `fp_ccid`. Both "" for a visitor who stays unknown. */
export interface VisitorIds {
  readonly cId: string;
  readonly fpccid: string;
}

export interface Visitor {
  ids(): VisitorIds;
  /** Nothing is kept of the visitor, and nothing sent of what the visitor does. */
  readonly isUnknown: boolean;
  /** What the visitor allows; kept until it is said anew. */
  consent(isGiven: boolean): void;
}

const FINGERPRINT = "fp_ccid";
const YEAR_S = 365 * 24 * 3600;
const ID = /^[\w.:-]{1,255}$/;
/** All that stands on the shelf about a visitor. */
const KEPT = ["client", "history", "frames", "answers", "outbox", "version"];

/**
 * @param needsConsent Nothing is kept or sent before consent is given. A browser's own signal (Global Privacy Control)
 * stands for a refusal, until the visitor says otherwise to the shop.
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

/** The shop's own cookie is taken as it is: other programs of the shop go by it, too. */
function fingerprint(cookies: Cookies, newId: () => string): string {
  const found = cookies.read(FINGERPRINT);
  if (found !== undefined && ID.test(found)) return found;
  const made = newId();
  cookies.write(FINGERPRINT, made, YEAR_S);
  return made;
}
