import type { HookFailure } from "../domain/hook.js";

/** A message to a shop's own server. */
export interface HookMessage {
  /** https, without user and password. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HookOutcome {
  /** Undefined: the receiver answered 2xx. */
  readonly failure: HookFailure | undefined;
  /** HTTP status of the answer, 0 where there was none. */
  readonly status: number;
}

/** Sends a message once. Never rejects. */
export type SendHook = (message: HookMessage) => Promise<HookOutcome>;
