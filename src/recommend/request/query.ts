import type { ReadyListKind } from "../../domain/frame.js";
import type { ExploredProduct } from "../../domain/frame-exposure.js";
import type { Boost } from "../../domain/frame-rules.js";
import type { VisitorIds } from "../../domain/ids.js";
import type { InteractionType } from "../../domain/interaction.js";
import { NO_SIGNALS, type SentSignals } from "../../domain/privacy-signals.js";
import type { Product } from "../../domain/product.js";
import { NO_FILTER, type ProductFilter } from "../../domain/product-filter.js";
import type { SourceName } from "../../learning/sources/source.js";

/** One meeting of visitor and product as the client tells it; the SKU counts when the id is "". */
export interface ClientInteraction {
  readonly type: InteractionType;
  readonly productId: string;
  readonly sku: string;
  readonly at: number;
}

/** Lists as a page wrote them, `|` between ids, else `,`; "" where the list was read without doubt. */
export interface SentLists {
  readonly currentProductIds: string;
  readonly currentSkus: string;
  readonly currentCategoryIds: string;
  readonly anyGroup: string;
}

/** What a page asks for. Ids are the shop's; "" and empty lists where nothing was sent. */
export interface RecommendQuery {
  readonly appId: string;
  readonly visitor: VisitorIds;
  readonly signals: SentSignals;
  readonly interactions: readonly ClientInteraction[];
  readonly frameInteractions: readonly { readonly frameId: string; readonly at: number }[];
  readonly currentProductIds: readonly string[];
  readonly currentSkus: readonly string[];
  readonly currentCategoryIds: readonly string[];
  readonly frameId: string;
  readonly filter: ProductFilter;
  /** The texts that lists were read from, where a separator might belong to an id. */
  readonly sentLists?: SentLists | undefined;
  readonly clientVersion: string;
  /** Null: as many as the frame says. */
  readonly recommendedCount: number | null;
  readonly alternativeCount: number | null;
  /** The contact whose history counts, beside that of `visitor`; "" for none. */
  readonly contactId: string;
  /** The caller sends the ids of answers back with clicks. */
  readonly tracksClicks: boolean;
}

/** A query that says nothing; for the default frame of the app "". */
export const BLANK_QUERY: RecommendQuery = {
  appId: "",
  visitor: { clientId: "", fingerprintId: "", userId: "" },
  signals: NO_SIGNALS,
  interactions: [],
  frameInteractions: [],
  currentProductIds: [],
  currentSkus: [],
  currentCategoryIds: [],
  frameId: "",
  filter: NO_FILTER,
  clientVersion: "",
  recommendedCount: null,
  alternativeCount: null,
  contactId: "",
  tracksClicks: false,
};

/** One source's share in a product's place. */
export interface SourceShare {
  readonly source: SourceName | ReadyListKind;
  readonly score: number;
  /** From 1. */
  readonly rank: number;
  readonly becauseOf: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

/** Why a product has its place. */
export interface Reason {
  readonly productId: string;
  readonly score: number;
  readonly shares: readonly SourceShare[];
  /** The frame pins it to its place. */
  readonly isPinned: boolean;
  /** The probability by which it was explored; 0: its place is its own. */
  readonly exploration: number;
  /** The frame's boosts that apply to it. */
  readonly boosts: readonly Boost[];
}

export interface RecommendAnswer {
  readonly version: string;
  /** The first current product; `known` is undefined when the catalogue does not have it. Null when none was sent. */
  readonly trackerProduct: { readonly productId: string; readonly known: Product | undefined } | null;
  readonly recommended: readonly Product[];
  readonly alternative: readonly Product[];
  readonly frameId: string;
  readonly variant: string;
  /** "" before the first model. */
  readonly modelId: string;
  readonly missingIds: readonly string[];
  /** Products of `recommended` that have their places by exploration. */
  readonly explored: readonly ExploredProduct[];
  /** Empty unless asked for. */
  readonly recommendedReasons: readonly Reason[];
  readonly alternativeReasons: readonly Reason[];
}
