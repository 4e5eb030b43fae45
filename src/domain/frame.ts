import { type FrameRules, NO_RULES } from "./frame-rules.js";
import { NO_FILTER, type ProductFilter } from "./product-filter.js";

/** Page types of a frame. */
export const PAGE_KINDS = ["home", "category", "product", "cart", "order"] as const;
/** "" when unspecified. */
export type PageKind = (typeof PAGE_KINDS)[number] | "";

/** Sources of proposals. */
export const FRAME_SOURCES = ["association_rules", "semantic", "collaborative", "cart", "popularity"] as const;
export type FrameSource = (typeof FRAME_SOURCES)[number];

/** Weight of a source relative to the others; 0 leaves it out. */
export interface SourceWeight {
  readonly source: FrameSource;
  readonly weight: number;
}

/** Lists that are counted or remembered, not chosen by the model. "": what the model recommends. */
export const READY_LISTS = ["recently_viewed", "buy_again", "new_arrivals", "trending", "bestsellers"] as const;
export type ReadyListKind = (typeof READY_LISTS)[number];

/** What fills `recommended`. */
export interface ReadyList {
  readonly kind: ReadyListKind | "";
  /** Days that count; 0 for a kind without a period. */
  readonly days: number;
}

export const NO_READY_LIST: ReadyList = { kind: "", days: 0 };

/** Longest and usual periods in days, of the kinds that have one. */
export const LIST_DAYS: Readonly<Partial<Record<ReadyListKind, { readonly most: number; readonly usual: number }>>> = {
  new_arrivals: { most: 365, usual: 30 },
  trending: { most: 22, usual: 7 },
  bestsellers: { most: 90, usual: 30 },
};

/** The settings of a frame for a share of its visitors; null takes the frame's own. */
export interface FrameVariant {
  readonly name: string;
  /** As a share of the sum of all weights. */
  readonly weight: number;
  readonly recommendedCount: number | null;
  readonly alternativeCount: number | null;
  readonly diversity: number | null;
  /** Empty: automatic. */
  readonly sources: readonly SourceWeight[] | null;
  readonly includeViewed: boolean | null;
  readonly includeBought: boolean | null;
  readonly rotation: boolean | null;
  readonly rotationRate: number | null;
  readonly rotationDays: number | null;
  readonly readyList: ReadyList | null;
  readonly rules: FrameRules | null;
  readonly exploration: number | null;
  readonly fallback: boolean | null;
  readonly filter: ProductFilter | null;
  readonly pinnedProductIds: readonly string[] | null;
}

/** Configuration of one place in a shop's pages. */
export interface FrameConfiguration {
  readonly frameId: string;
  readonly title: string;
  readonly pageKind: PageKind;
  readonly recommendedCount: number;
  readonly alternativeCount: number;
  readonly includeViewed: boolean;
  readonly includeBought: boolean;
  /** Show again after purchase, in days; 0: only with `includeBought`. */
  readonly rebuyAfterDays: number;
  /** Diversity of `recommended`, 0 to 1; 0 keeps the order of the scores. */
  readonly diversity: number;
  /** Empty: chosen for the visitor and the page. */
  readonly sources: readonly SourceWeight[];
  readonly readyList: ReadyList;
  readonly rules: FrameRules;
  /** Share of `recommended`, 0 to 0.2, for products of which little is known. */
  readonly exploration: number;
  /** Products that a visitor was shown and passed over step back when the visitor uses the frame. */
  readonly rotation: boolean;
  /** Share of a list, 0 to 1, that is replaced after all of it was passed over once. */
  readonly rotationRate: number;
  /** Days after which a product that was passed over has its place back; parts of a day count. */
  readonly rotationDays: number;
  /** For the first places, in their order. */
  readonly pinnedProductIds: readonly string[];
  readonly bannedProductIds: readonly string[];
  readonly inStockOnly: boolean;
  /** True when the frame itself sets `inStockOnly`: then no filter of a request can override it. */
  readonly stockSaid: boolean;
  /** Applies in addition to the request's filter. */
  readonly filter: ProductFilter;
  /** Popular products fill the places that the sources leave empty. */
  readonly fallback: boolean;
  readonly variants: readonly FrameVariant[];
  /** Number of this version of the frame, from 1; 0 for one that was never written. */
  readonly version: number;
  readonly updatedAt: number;
  /**
   * When the experiment with these variants began; without variants, when the last one did. 0: no experiment yet, or one that
   * an earlier version began.
   */
  readonly experimentAt: number;
}

/** A frame before the store gives it its version. */
export type FrameToWrite = Omit<FrameConfiguration, "version" | "experimentAt">;

/** A frame as one write left it, at the frame's `updatedAt`; `deleted`: the write deleted it. */
export interface FrameVersion {
  readonly frame: FrameConfiguration;
  readonly deleted: boolean;
}

/** Maximum stored versions of a frame, newest first. */
export const KEPT_VERSIONS = 100;

export const DEFAULT_FRAME_ID = "default";

export const ROTATION_RATE = 0.2;
export const ROTATION_DAYS = 3;

/** An empty frame: it shows nothing. */
export function bareFrame(frameId: string): FrameConfiguration {
  return {
    frameId,
    title: "",
    pageKind: "",
    recommendedCount: 0,
    alternativeCount: 0,
    includeViewed: false,
    includeBought: false,
    rebuyAfterDays: 0,
    diversity: 0,
    sources: [],
    readyList: NO_READY_LIST,
    rules: NO_RULES,
    exploration: 0,
    rotation: true,
    rotationRate: ROTATION_RATE,
    rotationDays: ROTATION_DAYS,
    pinnedProductIds: [],
    bannedProductIds: [],
    inStockOnly: true,
    stockSaid: false,
    filter: NO_FILTER,
    fallback: true,
    variants: [],
    version: 0,
    updatedAt: 0,
    experimentAt: 0,
  };
}

/** The default frame of an app that has not changed it: 10 + 10 products. */
export const DEFAULT_FRAME: FrameConfiguration = {
  ...bareFrame(DEFAULT_FRAME_ID),
  recommendedCount: 10,
  alternativeCount: 10,
};
