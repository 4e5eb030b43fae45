import type { PrivacySignals } from "./app.js";

/** Privacy signals of a request's browser. */
export interface SentSignals {
  /** `Sec-GPC: 1` */
  readonly globalPrivacyControl: boolean;
  /** `DNT: 1` */
  readonly doNotTrack: boolean;
}

export const NO_SIGNALS: SentSignals = { globalPrivacyControl: false, doNotTrack: false };

/** True when an app that obeys these signals stores no profile of the sender. */
export function refusesProfile(goesBy: PrivacySignals, sent: SentSignals): boolean {
  if (goesBy === "off") return false;
  return sent.globalPrivacyControl || (goesBy === "gpc_and_dnt" && sent.doNotTrack);
}
