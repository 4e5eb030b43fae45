/**
 * Sends messages by https to addresses that shops chose. No shop may reach servers that only this machine can reach: every
 * address of a name is checked, the connection goes to a checked one, and redirects are not followed.
 */
import { request } from "node:https";
import type { HookFailure } from "../../domain/hook.js";
import type { HookMessage, HookOutcome, SendHook } from "../hook-sender.js";
import {
  type Address,
  type AddressRules,
  checkedAddresses,
  connectionFailureOf,
  inTime,
  lookupOf,
} from "./checked-address.js";

export interface HttpsHookSenderOptions extends AddressRules {
  /** From the first byte to the answer's status, in milliseconds. */
  readonly timeoutMs?: number;
  /** Certificates trusted instead of the system's, in PEM. */
  readonly ca?: string;
}

const TIMEOUT_MS = 10_000;

export function createHttpsHookSender(options: HttpsHookSenderOptions): SendHook {
  const { timeoutMs = TIMEOUT_MS, ca } = options;
  return async (message) => {
    const url = new URL(message.url);
    if (url.protocol !== "https:") return failed("address_not_allowed");
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const addresses = await inTime(checkedAddresses(url, options), signal);
      return ofStatus(await post(url, message, addresses, signal, ca));
    } catch (error) {
      return failed(signal.aborted ? "timed_out" : connectionFailureOf(error));
    }
  };
}

/** The status of the answer; its body is not read. */
function post(
  url: URL,
  { headers, body }: HookMessage,
  addresses: readonly Address[],
  signal: AbortSignal,
  ca: string | undefined,
): Promise<number> {
  const lookup = lookupOf(addresses);
  return new Promise((resolve, reject) => {
    const agent = false; // a kept connection would escape the next check
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
