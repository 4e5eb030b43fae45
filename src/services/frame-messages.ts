import { isDeepStrictEqual } from "node:util";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { checkFilter } from "../domain/check-filter.js";
import { check, checkAll, InvalidArgument } from "../domain/errors.js";
import {
  type FrameConfiguration,
  type FrameSource,
  type FrameToWrite,
  type FrameVariant,
  LIST_DAYS,
  NO_READY_LIST,
  type PageKind,
  type ReadyList,
  type ReadyListKind,
  ROTATION_DAYS,
  ROTATION_RATE,
  type SourceWeight,
} from "../domain/frame.js";
import { NO_RULES } from "../domain/frame-rules.js";
import { cleanId, isAppId } from "../domain/ids.js";
import { NO_FILTER, type ProductFilter } from "../domain/product-filter.js";
import {
  type FrameConfigurationSchema,
  type FrameConfiguration as FrameMessage,
  type FrameVariant as FrameVariantMessage,
  PageKind as PageKindMessage,
  type SourceWeight as SourceWeightMessage,
} from "../gen/aisle/v1/frame_configuration_pb.js";
import {
  ReadyListKind as KindMessage,
  type ReadyList as ReadyListMessage,
  type ReadyListSchema,
} from "../gen/aisle/v1/ready_list_pb.js";
import { RecommendationSource } from "../gen/aisle/v1/recommendation_reason_pb.js";
import { timestampOf } from "./common-messages.js";
import { durationOfDays, partialDays, wholeDays } from "./day-durations.js";
import { filterMessage, filterOf } from "./filter-messages.js";
import { readRules, rulesMessage } from "./frame-rule-messages.js";
import { checkName, ID_RULE } from "./id-rules.js";

/** Most products a list of a frame can hold. */
const MAX_FRAME_COUNT = 100;
const MAX_WEIGHT = 1000;
const MAX_REBUY_DAYS = 3650;
const MAX_PINNED = 20;
const MAX_BANNED = 200;
const MAX_VARIANTS = 10;
const MAX_EXPLORATION = 0.2;
/** Exposures are not kept for longer. */
const MAX_ROTATION_DAYS = 7;

const SOURCES: readonly (readonly [FrameSource, RecommendationSource])[] = [
  ["association_rules", RecommendationSource.ASSOCIATION_RULES],
  ["semantic", RecommendationSource.SEMANTIC],
  ["collaborative", RecommendationSource.COLLABORATIVE],
  ["cart", RecommendationSource.CART],
  ["popularity", RecommendationSource.POPULARITY],
];

const PAGE_KINDS: readonly (readonly [PageKind, PageKindMessage])[] = [
  ["", PageKindMessage.UNSPECIFIED],
  ["home", PageKindMessage.HOME],
  ["category", PageKindMessage.CATEGORY],
  ["product", PageKindMessage.PRODUCT],
  ["cart", PageKindMessage.CART],
  ["order", PageKindMessage.ORDER],
];

const PATH = "frame_configuration";

/**
 * Reads a frame, or throws InvalidArgument with the path of the invalid field.
 *
 * @param at Time of the write.
 */
export function readFrame(asked: FrameMessage | undefined, at: number): FrameToWrite {
  if (!asked?.frameId) throw new InvalidArgument(`${PATH}.frame_id`, "missing");
  const { frameId, title, recommendedCount, alternativeCount, diversity } = asked;
  const read = {
    pageKind: () => pageKind(asked.pageKind),
    recommendedCount: () => wholeNumber(`${PATH}.recommended_count`, recommendedCount, MAX_FRAME_COUNT),
    alternativeCount: () => wholeNumber(`${PATH}.alternative_count`, alternativeCount, MAX_FRAME_COUNT),
    rebuyAfterDays: () => wholeDays(`${PATH}.rebuy_delay`, asked.rebuyDelay, 0, MAX_REBUY_DAYS),
    diversity: () => number(`${PATH}.diversity`, diversity, 1),
    sources: () => sources(`${PATH}.sources`, asked.sources),
    readyList: () => readReadyList(`${PATH}.ready_list`, asked.readyList),
    rules: () => readRules(`${PATH}.rules`, asked.rules),
    exploration: () => number(`${PATH}.exploration`, asked.exploration, MAX_EXPLORATION),
    rotationRate: () => number(`${PATH}.rotation_rate`, asked.rotationRate ?? ROTATION_RATE, 1),
    rotationDays: () => rotationDays(`${PATH}.rotation_period`, asked.rotationPeriod) ?? ROTATION_DAYS,
    pinnedProductIds: () => productIds(`${PATH}.pinned_product_ids`, asked.pinnedProductIds, MAX_PINNED),
    bannedProductIds: () => productIds(`${PATH}.banned_product_ids`, asked.bannedProductIds, MAX_BANNED),
    filter: () => readFilter(`${PATH}.filter`, asked.filter),
    variants: () => variants(`${PATH}.variants`, asked.variants, asked.bannedProductIds),
  };
  checkAll(
    check(isAppId(frameId), `${PATH}.frame_id`, "invalid", ID_RULE),
    () => checkName(`${PATH}.title`, title),
    ...Object.values(read).map((reader) => () => void reader()),
    () => void checkPins(`${PATH}.pinned_product_ids`, asked.pinnedProductIds, asked.bannedProductIds),
  );
  return {
    frameId,
    title,
    pageKind: read.pageKind(),
    recommendedCount: read.recommendedCount(),
    alternativeCount: read.alternativeCount(),
    includeViewed: asked.includeViewed,
    includeBought: asked.includeBought,
    rebuyAfterDays: read.rebuyAfterDays(),
    diversity: read.diversity(),
    sources: read.sources(),
    readyList: read.readyList(),
    rules: read.rules(),
    exploration: read.exploration(),
    rotation: asked.rotation ?? true,
    rotationRate: read.rotationRate(),
    rotationDays: read.rotationDays(),
    pinnedProductIds: read.pinnedProductIds(),
    bannedProductIds: read.bannedProductIds(),
    inStockOnly: asked.inStockOnly ?? true,
    stockSaid: asked.inStockOnly !== undefined,
    fallback: asked.fallback ?? true,
    filter: read.filter(),
    variants: read.variants(),
    updatedAt: at,
  };
}

function readFilter(path: string, asked: FrameMessage["filter"]): ProductFilter {
  const filter = filterOf(asked, path);
  checkFilter(filter, path);
  return filter;
}

function variants(path: string, asked: readonly FrameVariantMessage[], banned: readonly string[]): FrameVariant[] {
  if (asked.length > MAX_VARIANTS) throw new InvalidArgument(path, "invalid", `at most ${MAX_VARIANTS}`);
  const read = eachOf(asked, (variant, i): FrameVariant => {
    const field = `${path}[${i}]`;
    const pins = `${field}.pin_choice.product_ids`;
    if (variant.name === "") throw new InvalidArgument(`${field}.name`, "missing");
    if (!isAppId(variant.name)) throw new InvalidArgument(`${field}.name`, "invalid", ID_RULE);
    if (asked.findIndex(({ name }) => name === variant.name) < i)
      throw new InvalidArgument(`${field}.name`, "invalid", "each name once");
    const { recommendedCount, alternativeCount, diversity, sourceChoice, filter, pinChoice } = variant;
    return {
      name: variant.name,
      weight: number(`${field}.weight`, variant.weight, MAX_WEIGHT),
      recommendedCount: orNull(recommendedCount, (n) => wholeNumber(`${field}.recommended_count`, n, MAX_FRAME_COUNT)),
      alternativeCount: orNull(alternativeCount, (n) => wholeNumber(`${field}.alternative_count`, n, MAX_FRAME_COUNT)),
      diversity: orNull(diversity, (n) => number(`${field}.diversity`, n, 1)),
      sources: orNull(sourceChoice, (choice) => sources(`${field}.source_choice.sources`, choice.sources)),
      includeViewed: variant.includeViewed ?? null,
      includeBought: variant.includeBought ?? null,
      rotation: variant.rotation ?? null,
      rotationRate: orNull(variant.rotationRate, (n) => number(`${field}.rotation_rate`, n, 1)),
      rotationDays: rotationDays(`${field}.rotation_period`, variant.rotationPeriod),
      readyList: orNull(variant.readyList, (list) => readReadyList(`${field}.ready_list`, list)),
      exploration: orNull(variant.exploration, (n) => number(`${field}.exploration`, n, MAX_EXPLORATION)),
      rules: orNull(variant.rules, (rules) => readRules(`${field}.rules`, rules)),
      fallback: variant.fallback ?? null,
      filter: orNull(filter, (message) => readFilter(`${field}.filter`, message)),
      pinnedProductIds: orNull(pinChoice, (choice) =>
        checkPins(pins, productIds(pins, choice.productIds, MAX_PINNED), banned),
      ),
    };
  });
  if (read.length > 0 && read.every(({ weight }) => weight === 0))
    throw new InvalidArgument(path, "invalid", "at least one weight above 0");
  return read;
}

function sources(path: string, asked: readonly SourceWeightMessage[]): SourceWeight[] {
  const read = eachOf(asked, ({ source, weight }, i): SourceWeight => {
    const found = SOURCES.find(([, message]) => message === source)?.[0];
    if (found === undefined)
      throw new InvalidArgument(
        `${path}[${i}].source`,
        source === RecommendationSource.UNSPECIFIED ? "missing" : "invalid",
        "ASSOCIATION_RULES, SEMANTIC, COLLABORATIVE, CART or POPULARITY",
      );
    if (asked.findIndex((other) => other.source === source) < i)
      throw new InvalidArgument(`${path}[${i}].source`, "invalid", "each source once");
    return { source: found, weight: number(`${path}[${i}].weight`, weight, MAX_WEIGHT) };
  });
  if (read.length > 0 && read.every(({ weight }) => weight === 0))
    throw new InvalidArgument(path, "invalid", "at least one weight above 0");
  return read;
}

function productIds(path: string, asked: readonly string[], most: number): string[] {
  if (asked.length > most) throw new InvalidArgument(path, "invalid", `at most ${most}`);
  return eachOf(asked, (productId, i) => {
    if (productId === "") throw new InvalidArgument(`${path}[${i}]`, "missing");
    if (cleanId(productId) !== productId)
      throw new InvalidArgument(`${path}[${i}]`, "invalid", "at most 255 bytes without control characters");
    if (asked.indexOf(productId) < i) throw new InvalidArgument(`${path}[${i}]`, "invalid", "each product once");
    return productId;
  });
}

/** Reads each element. Throws one InvalidArgument with the violations of all. */
function eachOf<T, R>(asked: readonly T[], read: (element: T, index: number) => R): R[] {
  const results: R[] = [];
  checkAll(...asked.map((element, i) => () => void results.push(read(element, i))));
  return results;
}

function checkPins(path: string, pinned: readonly string[], banned: readonly string[]): readonly string[] {
  const both = pinned.findIndex((productId) => banned.includes(productId));
  if (both >= 0) throw new InvalidArgument(`${path}[${both}]`, "invalid", "a product that is not banned");
  return pinned;
}

function pageKind(asked: PageKindMessage): PageKind {
  const found = PAGE_KINDS.find(([, message]) => message === asked);
  if (found === undefined)
    throw new InvalidArgument(`${PATH}.page_kind`, "invalid", "HOME, CATEGORY, PRODUCT, CART or ORDER");
  return found[0];
}

function wholeNumber(path: string, value: number, most: number): number {
  if (value < 0 || value > most) throw new InvalidArgument(path, "invalid", `0 to ${most}`);
  return value;
}

function number(path: string, value: number, most: number): number {
  // Negated, so that NaN is rejected too.
  if (!(value >= 0 && value <= most)) throw new InvalidArgument(path, "invalid", `0 to ${most}`);
  return value + 0; // a store may keep -0 as 0
}

function rotationDays(path: string, asked: FrameMessage["rotationPeriod"]): number | null {
  return orNull(asked, (period) => partialDays(path, period, MAX_ROTATION_DAYS));
}

function orNull<T, R>(value: T | undefined, read: (value: T) => R): R | null {
  return value === undefined ? null : read(value);
}

export function frameMessage(frame: FrameConfiguration): MessageInitShape<typeof FrameConfigurationSchema> {
  return {
    frameId: frame.frameId,
    title: frame.title,
    version: frame.version,
    recommendedCount: frame.recommendedCount,
    alternativeCount: frame.alternativeCount,
    includeViewed: frame.includeViewed,
    includeBought: frame.includeBought,
    rebuyDelay: frame.rebuyAfterDays === 0 ? undefined : durationOfDays(frame.rebuyAfterDays),
    diversity: frame.diversity,
    exploration: frame.exploration,
    rotation: frame.rotation,
    rotationRate: frame.rotationRate,
    rotationPeriod: durationOfDays(frame.rotationDays),
    fallback: frame.fallback,
    pageKind: PAGE_KINDS.find(([kind]) => kind === frame.pageKind)?.[1] ?? PageKindMessage.UNSPECIFIED,
    sources: frame.sources.map(sourceMessage),
    pinnedProductIds: [...frame.pinnedProductIds],
    bannedProductIds: [...frame.bannedProductIds],
    inStockOnly: frame.stockSaid ? frame.inStockOnly : undefined,
    readyList: frame.readyList.kind === "" ? undefined : readyListMessage(frame.readyList),
    rules: isDeepStrictEqual(frame.rules, NO_RULES) ? undefined : rulesMessage(frame.rules),
    filter: frame.filter === NO_FILTER ? undefined : filterMessage(frame.filter),
    variants: frame.variants.map(({ sources: chosen, ...variant }) => ({
      name: variant.name,
      weight: variant.weight,
      recommendedCount: variant.recommendedCount ?? undefined,
      alternativeCount: variant.alternativeCount ?? undefined,
      diversity: variant.diversity ?? undefined,
      sourceChoice: chosen === null ? undefined : { sources: chosen.map(sourceMessage) },
      includeViewed: variant.includeViewed ?? undefined,
      includeBought: variant.includeBought ?? undefined,
      rotation: variant.rotation ?? undefined,
      rotationRate: variant.rotationRate ?? undefined,
      rotationPeriod: variant.rotationDays === null ? undefined : durationOfDays(variant.rotationDays),
      readyList: variant.readyList === null ? undefined : readyListMessage(variant.readyList),
      exploration: variant.exploration ?? undefined,
      rules: variant.rules === null ? undefined : rulesMessage(variant.rules),
      fallback: variant.fallback ?? undefined,
      filter: variant.filter === null ? undefined : filterMessage(variant.filter),
      pinChoice: variant.pinnedProductIds === null ? undefined : { productIds: [...variant.pinnedProductIds] },
    })),
    updateTime: timestampOf(frame.updatedAt),
    experimentStartTime: frame.variants.length === 0 ? undefined : timestampOf(frame.experimentAt),
    etag: frameEtag(frame),
  };
}

function sourceMessage({ source, weight }: SourceWeight) {
  const message = SOURCES.find(([name]) => name === source)?.[1] ?? RecommendationSource.UNSPECIFIED;
  return { source: message, weight };
}

/** The etag of a frame; "" for a frame that was never written. */
export function frameEtag(frame: FrameConfiguration | undefined): string {
  return frame === undefined || frame.version === 0 ? "" : String(frame.version);
}

const KINDS: readonly (readonly [ReadyListKind, KindMessage])[] = [
  ["recently_viewed", KindMessage.RECENTLY_VIEWED],
  ["buy_again", KindMessage.BUY_AGAIN],
  ["new_arrivals", KindMessage.NEW_ARRIVALS],
  ["trending", KindMessage.TRENDING],
  ["bestsellers", KindMessage.BESTSELLERS],
];

function readReadyList(path: string, asked: ReadyListMessage | undefined): ReadyList {
  if (asked === undefined || asked.kind === KindMessage.UNSPECIFIED) return NO_READY_LIST;
  const kind = KINDS.find(([, message]) => message === asked.kind)?.[0];
  if (kind === undefined)
    throw new InvalidArgument(
      `${path}.kind`,
      "invalid",
      "RECENTLY_VIEWED, BUY_AGAIN, NEW_ARRIVALS, TRENDING or BESTSELLERS",
    );
  const limits = LIST_DAYS[kind];
  if (asked.period === undefined) return { kind, days: limits?.usual ?? 0 };
  if (limits === undefined) throw new InvalidArgument(`${path}.period`, "invalid", "none: this list has no period");
  return { kind, days: wholeDays(`${path}.period`, asked.period, 1, limits.most) };
}

function readyListMessage({ kind, days }: ReadyList): MessageInitShape<typeof ReadyListSchema> {
  const message = KINDS.find(([name]) => name === kind)?.[1] ?? KindMessage.UNSPECIFIED;
  return { kind: message, period: days === 0 ? undefined : durationOfDays(days) };
}
