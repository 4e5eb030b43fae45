import { lookup as lookUpName } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

export interface Address {
  readonly address: string;
  readonly family: number;
}

export interface AddressRules {
  /** Allows loopback and private addresses, for shops on the operator's own network. */
  readonly allowPrivate: boolean;
  /** Returns all addresses of a name. Default: the system's lookup. */
  readonly resolve?: ((name: string) => Promise<readonly Address[]>) | undefined;
}

class NotAllowed extends Error {}

/** Returns every address of a URL's host. Rejects with NotAllowed when one of them is forbidden. */
export async function checkedAddresses(url: URL, rules: AddressRules): Promise<readonly Address[]> {
  const { allowPrivate, resolve = (name) => lookUpName(name, { all: true }) } = rules;
  const name = url.hostname.replace(/^\[|\]$/g, "");
  const family = isIP(name);
  const found = family === 0 ? await resolve(name) : [{ address: name, family }];
  if (!allowPrivate && !found.every(({ address }) => isPublicAddress(address))) throw new NotAllowed();
  return found;
}

/** Called for names only; returns the addresses checked before. */
export function lookupOf(addresses: readonly Address[]): LookupFunction {
  return (_name, { all }, done) => {
    const [first] = addresses;
    if (all === true) done(null, [...addresses]);
    else if (first !== undefined) done(null, first.address, first.family);
  };
}

/** Rejects when the time is over before the promise settles; a name that never resolves must not block a caller. */
export function inTime<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("too late")), { once: true });
    promise.then(resolve, reject);
  });
}

/** Why no answer came. */
export function connectionFailureOf(error: unknown) {
  if (error instanceof NotAllowed) return "address_not_allowed";
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "host_not_found";
  if (/CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ALTNAME/.test(code)) return "certificate_refused";
  return "connection_failed";
}

/**
 * True for a global unicast address. False for loopback, private and link-local ranges, shared address space, metadata
 * services, multicast and reserved ranges, also when mapped into IPv6. False for translators (NAT64, 6to4, Teredo) and for
 * any other text.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  return ipaddr.process(text).range() === "unicast";
}
