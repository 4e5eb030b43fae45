import type { PrivacySignals } from "./app.js";

/** Signals of a browser against profiles, as they came with a request. */
export interface SentSignals {
  /** `Sec-GPC: 1` */
  readonly globalPrivacyControl: boolean;
  /** `DNT: 1` */
  readonly doNotTrack: boolean;
}

export const NO_SIGNALS: SentSignals = { globalPrivacyControl: false, doNotTrack: false };

/** Whether an app that goes by these signals keeps no profile of who sent those. */
export function refusesProfile(goesBy: PrivacySignals, sent: SentSignals): boolean {
  if (goesBy === "off") return false;
  return sent.globalPrivacyControl || (goesBy === "gpc_and_dnt" && sent.doNotTrack);
}
