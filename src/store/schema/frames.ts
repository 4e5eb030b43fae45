import {
  FRAME_SOURCES,
  type FrameConfiguration,
  type FrameVariant,
  type FrameVersion,
  NO_READY_LIST,
  PAGE_KINDS,
  READY_LISTS,
  type ReadyList,
  ROTATION_DAYS,
  ROTATION_RATE,
  type SourceWeight,
} from "../../domain/frame.js";
import { BOOST_CONDITIONS, type Boost, type FrameRules, NO_RULES, RELATIVE_FILTERS } from "../../domain/frame-rules.js";
import type {
  CountedOrder,
  ExploredProduct,
  ExposedFrame,
  FrameExposure,
  FrameTally,
  Sales,
  ShownList,
} from "../../domain/frame-tally.js";
import { NO_FILTER, type PriceRange, type ProductFilter } from "../../domain/product-filter.js";
import { type Cells, flag, later, list, number, oneOf, orNull, record, text, time } from "./kinds.js";

const sources = list(record<SourceWeight>({ source: oneOf(...FRAME_SOURCES), weight: number }));

const filter = record<ProductFilter>({
  anyGroup: list(text),
  allGroups: list(text),
  noGroup: list(text),
  excludeProductIds: list(text),
  availability: oneOf("", "in_stock", "any"),
  price: orNull(record<PriceRange>({ min: text, max: text, currency: text })),
});

const readyList = record<ReadyList>({ kind: oneOf("", ...READY_LISTS), days: number });

const rules = record<FrameRules>({
  boosts: list(
    record<Boost>({
      factor: number,
      condition: oneOf(...BOOST_CONDITIONS),
      name: text,
      value: text,
      min: orNull(number),
      max: orNull(number),
    }),
  ),
  relative: list(oneOf(...RELATIVE_FILTERS)),
  sameAttributes: list(text),
  maxPerBrand: number,
  maxPerCategory: number,
});

const variant = record<FrameVariant>({
  name: text,
  weight: number,
  recommendedCount: orNull(number),
  alternativeCount: orNull(number),
  diversity: orNull(number),
  sources: orNull(sources),
  includeViewed: orNull(flag),
  includeBought: orNull(flag),
  rotation: orNull(flag),
  fallback: orNull(flag),
  filter: later(orNull(filter), null),
  pinnedProductIds: later(orNull(list(text)), null),
  rotationRate: later(orNull(number), null),
  rotationDays: later(orNull(number), null),
  readyList: later(orNull(readyList), null),
  rules: later(orNull(rules), null),
  exploration: later(orNull(number), null),
});

const RULES = 8;

/** Up to format 7 what came after the diversity stood in one cell, and in a version of a frame a cell without meaning behind it. */
function fromNestedRules(cells: Cells): Cells {
  const rules = cells[RULES];
  if (typeof rules === "string") return cells;
  return Array.isArray(rules) ? [...cells.slice(0, RULES), ...rules] : cells.slice(0, RULES);
}

/** Frames of earlier versions have no diversity, or none of what came after it: they stand as they always did. */
export const frame = record<FrameConfiguration>(
  {
    frameId: text,
    title: text,
    recommendedCount: number,
    alternativeCount: number,
    includeViewed: flag,
    includeBought: flag,
    updatedAt: time,
    diversity: later(number, 0),
    pageKind: later(oneOf(...PAGE_KINDS, ""), ""),
    sources: later(sources, []),
    rebuyAfterDays: later(number, 0),
    rotation: later(flag, true),
    pinnedProductIds: later(list(text), []),
    bannedProductIds: later(list(text), []),
    inStockOnly: later(flag, true),
    fallback: later(flag, true),
    variants: later(list(variant), []),
    version: later(number, 1),
    filter: later(filter, NO_FILTER),
    stockSaid: later(flag, false),
    rotationRate: later(number, ROTATION_RATE),
    rotationDays: later(number, ROTATION_DAYS),
    readyList: later(readyList, NO_READY_LIST),
    rules: later(rules, NO_RULES),
    exploration: later(number, 0),
  },
  { upgrade: fromNestedRules },
);

export const frameVersion = record<FrameVersion>({ frame, deleted: flag });

const sales = list(record<Sales>({ currency: text, orders: number, amount: number }));

export const frameTally = record<FrameTally>({
  exposures: number,
  visitors: number,
  clicked: number,
  ordered: number,
  clicks: later(number, 0),
  afterClick: later(sales, []),
  withoutClick: later(sales, []),
});

/** Earlier versions kept only the ids of orders, in this cell. */
const ORDER_IDS = 7;

export const frameExposure = record<FrameExposure>({
  frames: list(
    record<ExposedFrame>(
      {
        frameId: text,
        variant: text,
        firstAt: time,
        lastAt: time,
        shown: list(text),
        clickedAt: time,
        orderedAt: time,
        lastClickedAt: later(time, 0),
        recommendationIds: later(list(text), []),
        clicks: later(list(text), []),
        orders: later(
          list(record<CountedOrder>({ orderId: text, currency: text, amount: number, isAfterClick: flag })),
          [],
        ),
        explored: later(list(record<ExploredProduct>({ productId: text, probability: number })), []),
      },
      { gone: [ORDER_IDS] },
    ),
  ),
  shownLists: later(list(record<ShownList>({ frameId: text, at: time, productIds: list(text) })), []),
});
