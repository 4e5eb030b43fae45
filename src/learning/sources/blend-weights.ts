import { DataDamaged } from "../../domain/errors.js";
import type { Section } from "../common/section.js";
import { UnknownFormat } from "../common/section.js";
import type { SourceName, SourceQuery } from "./source.js";

/**
 * Where `recommended` is shown. `browsing`: to a visitor without a cart. `browsing_with_cart`: to one with a cart, on a
 * product page. `cart`: to one with a cart, elsewhere. The first two predict the next product of the visit, `cart` the
 * other products of the order.
 */
export const BLEND_PAGES = ["browsing", "browsing_with_cart", "cart"] as const;
export type BlendPage = (typeof BLEND_PAGES)[number];

/** The length of the visitor's session: at most one product, two to four products, or more. */
export const BLEND_HISTORIES = ["one", "few", "many"] as const;
export type BlendHistory = (typeof BLEND_HISTORIES)[number];

/** The blended sources, in the order of the snapshot's weights. */
export const BLENDED_SOURCES = [
  "collaborative",
  "cart",
  "association_rules",
  "semantic",
  "popularity",
] as const satisfies readonly SourceName[];

/** The weight of each source's ranks, 0 or more. */
export type SourceWeights = Readonly<Record<SourceName, number>>;

export function sourceWeights(of: (source: SourceName) => number): SourceWeights {
  return {
    collaborative: of("collaborative"),
    cart: of("cart"),
    association_rules: of("association_rules"),
    semantic: of("semantic"),
    popularity: of("popularity"),
  };
}

/** Learned weights of `recommended`. A page that could not be judged has none. */
export type BlendWeights = Readonly<Partial<Record<BlendPage, Readonly<Record<BlendHistory, SourceWeights>>>>>;

export function blendPageOf({ hasCart, isViewing = false }: Pick<SourceQuery, "hasCart" | "isViewing">): BlendPage {
  if (!hasCart) return "browsing";
  return isViewing ? "browsing_with_cart" : "cart";
}

/** Counts the products of the session, repeated views once. */
export function blendHistoryOf({ session }: Pick<SourceQuery, "session">): BlendHistory {
  const { length } = session.items;
  if (length <= 1) return "one";
  return length <= 4 ? "few" : "many";
}

const FORMAT = 1;

/** Writes the weights ordered by page, history and source. A page without weights is all 0. */
export function encodeBlendWeights(blend: BlendWeights): Section {
  const weights = BLEND_PAGES.flatMap((page) =>
    BLEND_HISTORIES.flatMap((history) => BLENDED_SOURCES.map((source) => blend[page]?.[history][source] ?? 0)),
  );
  return { formatNumber: FORMAT, numbers: {}, arrays: { weights: Float64Array.from(weights) } };
}

/** Throws UnknownFormat for a section of another version, DataDamaged for one that `encodeBlendWeights` did not write. */
export function decodeBlendWeights({ formatNumber, arrays }: Section): BlendWeights {
  const { weights } = arrays;
  const perPage = BLEND_HISTORIES.length * BLENDED_SOURCES.length;
  if (formatNumber !== FORMAT) throw new UnknownFormat(`Weights of a blend of format ${formatNumber} are not known`);
  if (!(weights instanceof Float64Array) || weights.length !== BLEND_PAGES.length * perPage)
    throw new DataDamaged("A blend has more or fewer weights than sources");
  if (!weights.every((weight) => Number.isFinite(weight) && weight >= 0))
    throw new DataDamaged("A blend has a negative or invalid weight");
  const weightsAt = (at: number) => sourceWeights((source) => weights[at + BLENDED_SOURCES.indexOf(source)] ?? 0);
  const blend: Partial<Record<BlendPage, Record<BlendHistory, SourceWeights>>> = {};
  for (const [p, page] of BLEND_PAGES.entries()) {
    const from = p * perPage;
    if (weights.subarray(from, from + perPage).every((weight) => weight === 0)) continue;
    const ofHistory = (history: BlendHistory) =>
      weightsAt(from + BLEND_HISTORIES.indexOf(history) * BLENDED_SOURCES.length);
    blend[page] = { one: ofHistory("one"), few: ofHistory("few"), many: ofHistory("many") };
  }
  return blend;
}
