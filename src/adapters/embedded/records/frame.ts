import {
  bareFrame,
  FRAME_SOURCES,
  type FrameConfiguration,
  type FrameVariant,
  type FrameVersion,
  PAGE_KINDS,
  type SourceWeight,
} from "../../../domain/frame.js";
import type { FrameExposure, FrameTally } from "../../../domain/frame-tally.js";
import { NO_FILTER, type ProductFilter } from "../../../domain/product-filter.js";
import type { Cells, RecordCodec } from "../codec.js";
import * as cell from "./cells.js";

export const frameRecord: RecordCodec<FrameConfiguration> = { toCells: frameCells, fromCells: frameFrom };

export const frameVersionRecord: RecordCodec<FrameVersion> = {
  // The cell after a frame's own stands where its checksum does.
  toCells: ({ frame, deleted }) => [[...frameCells(frame), 0], deleted],
  fromCells: (cells) => ({ frame: frameFrom(cell.list(cells, 0)), deleted: cell.flag(cells, 1) }),
};

export const frameTallyRecord: RecordCodec<FrameTally> = {
  toCells: (tally) => [tally.exposures, tally.visitors, tally.clicked, tally.ordered],
  fromCells: (cells) => ({
    exposures: cell.number(cells, 0),
    visitors: cell.number(cells, 1),
    clicked: cell.number(cells, 2),
    ordered: cell.number(cells, 3),
  }),
};

export const frameExposureRecord: RecordCodec<FrameExposure> = {
  toCells: ({ frames }) => [
    frames.map((one) => [
      one.frameId,
      one.variant,
      one.firstAt,
      one.lastAt,
      one.shown,
      one.clickedAt,
      one.orderedAt,
      one.orderIds,
    ]),
  ],
  fromCells: (cells) => ({
    frames: cell.rows(cells, 0, (row) => ({
      frameId: cell.text(row, 0),
      variant: cell.text(row, 1),
      firstAt: cell.number(row, 2),
      lastAt: cell.number(row, 3),
      shown: cell.texts(row, 4),
      clickedAt: cell.number(row, 5),
      orderedAt: cell.number(row, 6),
      orderIds: row.length > 7 ? cell.texts(row, 7) : [],
    })),
  }),
};

function frameCells(frame: FrameConfiguration): unknown[] {
  return [
    frame.frameId,
    frame.title,
    frame.recommendedCount,
    frame.alternativeCount,
    frame.includeViewed,
    frame.includeBought,
    frame.updatedAt,
    frame.diversity,
    [
      frame.pageKind,
      frame.sources.map(sourceCells),
      frame.rebuyAfterDays,
      frame.rotation,
      frame.pinnedProductIds,
      frame.bannedProductIds,
      frame.inStockOnly,
      frame.fallback,
      frame.variants.map(variantCells),
      frame.version,
      filterCells(frame.filter),
      frame.stockSaid,
    ],
  ];
}

/** Frames of earlier versions have no diversity, or none of what came after it: they stand as they always did. */
function frameFrom(cells: Cells): FrameConfiguration {
  return {
    ...bareFrame(cell.text(cells, 0)),
    version: 1,
    title: cell.text(cells, 1),
    recommendedCount: cell.number(cells, 2),
    alternativeCount: cell.number(cells, 3),
    includeViewed: cell.flag(cells, 4),
    includeBought: cell.flag(cells, 5),
    updatedAt: cell.number(cells, 6),
    diversity: cell.numberOr(cells, 7, 0),
    ...(cell.hasLater(cells, 8) && rulesFrom(cell.list(cells, 8))),
  };
}

function rulesFrom(cells: Cells) {
  return {
    pageKind: cell.oneOf(cells, 0, [...PAGE_KINDS, ""]),
    sources: cell.rows(cells, 1, sourceFrom),
    rebuyAfterDays: cell.number(cells, 2),
    rotation: cell.flag(cells, 3),
    pinnedProductIds: cell.texts(cells, 4),
    bannedProductIds: cell.texts(cells, 5),
    inStockOnly: cell.flag(cells, 6),
    fallback: cell.flag(cells, 7),
    variants: cell.rows(cells, 8, variantFrom),
    version: cell.number(cells, 9),
    filter: cells.length > 10 ? filterFrom(cell.list(cells, 10)) : NO_FILTER,
    stockSaid: cells.length > 11 && cell.flag(cells, 11),
  };
}

function filterCells({ price, ...filter }: ProductFilter): unknown[] {
  return [
    filter.anyGroup,
    filter.allGroups,
    filter.noGroup,
    filter.excludeProductIds,
    filter.availability,
    price === null ? null : [price.min, price.max, price.currency],
  ];
}

const AVAILABILITIES = ["", "in_stock", "any"] as const;

function filterFrom(cells: Cells): ProductFilter {
  const price = cells[5] === null ? null : cell.list(cells, 5);
  return {
    anyGroup: cell.texts(cells, 0),
    allGroups: cell.texts(cells, 1),
    noGroup: cell.texts(cells, 2),
    excludeProductIds: cell.texts(cells, 3),
    availability: cell.oneOf(cells, 4, AVAILABILITIES),
    price: price && { min: cell.text(price, 0), max: cell.text(price, 1), currency: cell.text(price, 2) },
  };
}

function sourceCells({ source, weight }: SourceWeight): unknown[] {
  return [source, weight];
}

function sourceFrom(cells: Cells): SourceWeight {
  return { source: cell.oneOf(cells, 0, FRAME_SOURCES), weight: cell.number(cells, 1) };
}

function variantCells(variant: FrameVariant): unknown[] {
  return [
    variant.name,
    variant.weight,
    variant.recommendedCount,
    variant.alternativeCount,
    variant.diversity,
    variant.sources?.map(sourceCells) ?? null,
    variant.includeViewed,
    variant.includeBought,
    variant.rotation,
    variant.fallback,
    variant.filter && filterCells(variant.filter),
    variant.pinnedProductIds,
  ];
}

function variantFrom(cells: Cells): FrameVariant {
  return {
    name: cell.text(cells, 0),
    weight: cell.number(cells, 1),
    recommendedCount: cell.numberOrNull(cells, 2),
    alternativeCount: cell.numberOrNull(cells, 3),
    diversity: cell.numberOrNull(cells, 4),
    sources: cells[5] === null ? null : cell.rows(cells, 5, sourceFrom),
    includeViewed: cell.flagOrNull(cells, 6),
    includeBought: cell.flagOrNull(cells, 7),
    rotation: cell.flagOrNull(cells, 8),
    fallback: cell.flagOrNull(cells, 9),
    filter: isSaid(cells, 10) ? filterFrom(cell.list(cells, 10)) : null,
    pinnedProductIds: isSaid(cells, 11) ? cell.texts(cells, 11) : null,
  };
}

/** False for what is null, and for what rows of earlier versions do not have. */
function isSaid(row: Cells, i: number): boolean {
  return i < row.length && row[i] !== null;
}
