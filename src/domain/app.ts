import type { ProductGroup } from "./product-filter.js";

/**
 * How much of a contact a visitor sees whose link to it is unproven: `open` shows all of it, `strict` only statements
 * made since the link.
 */
export type LinkTrust = "open" | "strict";
/** Privacy signals that an app obeys: Global Privacy Control, and Do Not Track. */
export type PrivacySignals = "off" | "gpc" | "gpc_and_dnt";

/** Retention and privacy settings of an app. */
export interface PrivacySettings {
  readonly signals: PrivacySignals;
  /** Retention in days of visitor data; 0 for ever. */
  readonly retentionDays: number;
  /** Retention in days of rejected events; 0 as long as their log has room. */
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
  /** Double opt-in: a subscribing event takes effect when the owner of the address confirms it. */
  readonly doubleOptIn: boolean;
  /**
   * Visitors, each from another network, that must have sent a product before it is learned. 0 and 1: a single visitor
   * is enough.
   */
  readonly learnedAfterVisitors: number;
  /** In order of ids. */
  readonly groups: readonly ProductGroup[];
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The rules that the keys of its contacts follow; see `CONTACT_KEY_RULES`. */
  readonly contactKeyRules: number;
}

/** 1: the spelling of an address is its key. 2: all spellings have one key. 3: also a number that a table wrote as 48601234567.0. */
export const CONTACT_KEY_RULES = 3;

/** Whoever invents a product must also invent as many visitors. */
export const LEARNED_AFTER_VISITORS = 3;
export const MAX_LEARNED_AFTER_VISITORS = 100;

/** A new app with default settings. */
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
    contactKeyRules: CONTACT_KEY_RULES,
  };
}
