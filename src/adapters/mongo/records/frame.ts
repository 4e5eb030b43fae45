import {
  FRAME_SOURCES,
  type FrameConfiguration,
  type FrameVariant,
  type FrameVersion,
  PAGE_KINDS,
  type SourceWeight,
} from "../../../domain/frame.js";
import type { ExposedFrame, FrameExposure, FrameTally } from "../../../domain/frame-tally.js";
import { NO_FILTER, type PriceRange, type ProductFilter } from "../../../domain/product-filter.js";
import { flag, list, number, oneOf, orElse, orNull, record, text } from "../shape.js";

const sourcesShape = list(record<SourceWeight>({ source: oneOf(...FRAME_SOURCES), weight: number }));

const filterShape = record<ProductFilter>({
  anyGroup: list(text),
  allGroups: list(text),
  noGroup: list(text),
  excludeProductIds: list(text),
  price: orNull(record<PriceRange>({ min: text, max: text, currency: text })),
  availability: oneOf("", "in_stock", "any"),
});

const variantShape = record<FrameVariant>({
  name: text,
  weight: number,
  recommendedCount: orNull(number),
  alternativeCount: orNull(number),
  diversity: orNull(number),
  sources: orNull(sourcesShape),
  includeViewed: orNull(flag),
  includeBought: orNull(flag),
  rotation: orNull(flag),
  fallback: orNull(flag),
  filter: orElse(orNull(filterShape), null),
  pinnedProductIds: orElse(orNull(list(text)), null),
});

/** Frames of earlier versions have no diversity, or none of what came after it: they stand as they always did. */
export const frameShape = record<FrameConfiguration>({
  frameId: text,
  title: text,
  pageKind: orElse(oneOf(...PAGE_KINDS, ""), ""),
  recommendedCount: number,
  alternativeCount: number,
  includeViewed: flag,
  includeBought: flag,
  rebuyAfterDays: orElse(number, 0),
  diversity: orElse(number, 0),
  sources: orElse(sourcesShape, []),
  rotation: orElse(flag, true),
  pinnedProductIds: orElse(list(text), []),
  bannedProductIds: orElse(list(text), []),
  inStockOnly: orElse(flag, true),
  stockSaid: orElse(flag, false),
  fallback: orElse(flag, true),
  filter: orElse(filterShape, NO_FILTER),
  variants: orElse(list(variantShape), []),
  version: orElse(number, 1),
  updatedAt: number,
});

export const frameVersionShape = record<FrameVersion>({ frame: frameShape, deleted: flag });

export const frameTallyShape = record<FrameTally>({
  exposures: number,
  visitors: number,
  clicked: number,
  ordered: number,
});

export const frameExposureShape = record<FrameExposure>({
  frames: list(
    record<ExposedFrame>({
      frameId: text,
      variant: text,
      firstAt: number,
      lastAt: number,
      shown: list(text),
      clickedAt: number,
      orderedAt: number,
      orderIds: orElse(list(text), []),
    }),
  ),
});
