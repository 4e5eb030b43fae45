/**
 * Sends messages by https to servers whose address a shop gave, so that nobody reaches what only this machine reaches: of
 * a name every address it resolves to is checked, the connection goes to one of those that were checked, and redirects
 * are not followed.
 */
import { lookup as lookUpName } from "node:dns/promises";
import { request } from "node:https";
import type { LookupFunction } from "node:net";
import { isIP } from "node:net";
import type { HookFailure } from "../../domain/mailing.js";
import type { HookMessage, HookOutcome, SendHook } from "../../ports/hook-sender.js";
import { isPublicAddress } from "./public-address.js";

interface Address {
  readonly address: string;
  readonly family: number;
}

export interface HttpsHookSenderOptions {
  /** Loopback and private addresses are reached, too: for shops on the operator's own network. */
  readonly allowPrivate: boolean;
  /** From the first byte to the answer's status, in milliseconds. */
  readonly timeoutMs?: number;
  /** All addresses of a name; of the system when not given. */
  readonly resolve?: (name: string) => Promise<readonly Address[]>;
  /** Certificates trusted instead of the system's, in PEM. */
  readonly ca?: string;
}

const TIMEOUT_MS = 10_000;

class NotAllowed extends Error {}

export function createHttpsHookSender(options: HttpsHookSenderOptions): SendHook {
  const { allowPrivate, timeoutMs = TIMEOUT_MS, ca, resolve = (name) => lookUpName(name, { all: true }) } = options;
  const checked = async (name: string): Promise<readonly Address[]> => {
    const family = isIP(name);
    const found = family === 0 ? await resolve(name) : [{ address: name, family }];
    if (!allowPrivate && !found.every(({ address }) => isPublicAddress(address))) throw new NotAllowed();
    return found;
  };
  return async (message) => {
    const url = new URL(message.url);
    if (url.protocol !== "https:") return failed("address_not_allowed");
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const addresses = await inTime(checked(url.hostname.replace(/^\[|\]$/g, "")), signal);
      return ofStatus(await post(url, message, addresses, signal, ca));
    } catch (error) {
      return failed(signal.aborted ? "timed_out" : failureOf(error));
    }
  };
}

/** Rejects when the time is over before the promise is settled; a name that never resolves must not hold a sender. */
function inTime<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("too late")), { once: true });
    promise.then(resolve, reject);
  });
}

/** The status of the answer; its body is not read. */
function post(
  url: URL,
  { headers, body }: HookMessage,
  addresses: readonly Address[],
  signal: AbortSignal,
  ca: string | undefined,
): Promise<number> {
  // Called for names alone, and answers what was checked before.
  const lookup: LookupFunction = (_name, { all }, done) => {
    const [first] = addresses;
    if (all === true) done(null, [...addresses]);
    else if (first !== undefined) done(null, first.address, first.family);
  };
  return new Promise((resolve, reject) => {
    const agent = false; // no connection is kept that a later check did not see
    const sent = request(url, { method: "POST", headers, lookup, agent, signal, ...(ca !== undefined && { ca }) });
    sent.once("response", (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function ofStatus(status: number): HookOutcome {
  if (status >= 200 && status < 300) return { failure: undefined, status };
  return { failure: status >= 300 && status < 400 ? "redirected" : "refused", status };
}

function failed(failure: HookFailure): HookOutcome {
  return { failure, status: 0 };
}

function failureOf(error: unknown): HookFailure {
  if (error instanceof NotAllowed) return "address_not_allowed";
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "host_not_found";
  if (/CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ALTNAME/.test(code)) return "certificate_refused";
  return "connection_failed";
}
