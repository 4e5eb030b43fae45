import type { ProductGroup } from "./product-filter.js";

/**
 * How much of a contact a visitor sees whose link to it is unproven: `open` shows all of it, `strict` only statements
 * made since the link.
 */
export type LinkTrust = "open" | "strict";
/** Which signals of a browser against profiles an app goes by: Global Privacy Control, and Do Not Track. */
export type PrivacySignals = "off" | "gpc" | "gpc_and_dnt";

/** What an app keeps of persons. */
export interface PrivacySettings {
  readonly signals: PrivacySignals;
  /** Days for which what visitors did is kept; 0 for ever. */
  readonly retentionDays: number;
  /** Days for which refused events are kept; 0 as long as their log has room. */
  readonly rejectedRetentionDays: number;
}

export const NO_PRIVACY_SETTINGS: PrivacySettings = { signals: "off", retentionDays: 0, rejectedRetentionDays: 0 };

/** A shop. */
export interface App {
  readonly appId: string;
  readonly displayName: string;
  /** Origins whose pages may call the facade; empty means any. */
  readonly allowedOrigins: readonly string[];
  readonly linkTrust: LinkTrust;
  readonly privacy: PrivacySettings;
  /** An event that subscribes takes effect when who reads the address's mail confirms it. */
  readonly doubleOptIn: boolean;
  /** Visitors, each of another network, that must have sent a product before it is learned. 0 and 1: anybody is believed. */
  readonly learnedAfterVisitors: number;
  /** In order of ids. */
  readonly groups: readonly ProductGroup[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** So many visitors that one who invents a product has to invent some more. */
export const LEARNED_AFTER_VISITORS = 3;
export const MAX_LEARNED_AFTER_VISITORS = 100;

/** An app of which nothing was said when it was made. */
export function bareApp(appId: string, at: number): App {
  return {
    appId,
    displayName: "",
    allowedOrigins: [],
    linkTrust: "open",
    doubleOptIn: false,
    learnedAfterVisitors: LEARNED_AFTER_VISITORS,
    groups: [],
    privacy: NO_PRIVACY_SETTINGS,
    createdAt: at,
    updatedAt: at,
  };
}
