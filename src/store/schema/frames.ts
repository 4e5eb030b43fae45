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
import type {
  ExploredProduct,
  ExposedFrame,
  FrameExposure,
  Share,
  ShownList,
  VisitorAct,
  VisitorOrder,
} from "../../domain/frame-exposure.js";
import { BOOST_CONDITIONS, type Boost, type FrameRules, NO_RULES, RELATIVE_FILTERS } from "../../domain/frame-rules.js";
import type { FrameTally, Sales } from "../../domain/frame-tally.js";
import { NO_FILTER, type PriceRange, type ProductFilter } from "../../domain/product-filter.js";
import { flag, type Kind, later, list, number, oneOf, orNull, record, text, time } from "./kinds.js";

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

/** Frames of earlier versions have no diversity, or none of what came after it: they stand as they always did. */
export const frame = record<FrameConfiguration>({
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
  experimentAt: later(time, 0),
});

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

/** Still earlier versions kept only the ids of orders, in this cell. */
const ORDER_IDS = 7;

/** An order as earlier versions kept it with an exposure. */
interface EarlierOrder {
  readonly orderId: string;
  readonly currency: string;
  readonly amount: number;
}

/** Results that earlier versions kept with an exposure. */
interface EarlierFrame extends ExposedFrame {
  readonly clickedAt?: number;
  readonly orderedAt?: number;
  readonly lastClickedAt?: number;
  /** The id of an answer, a space and the product. */
  readonly clicks?: readonly string[];
  readonly orders?: readonly EarlierOrder[];
}

interface StoredExposure extends FrameExposure {
  readonly frames: readonly EarlierFrame[];
}

/** Reads a field of earlier versions, and writes the value that says nothing. */
function earlier<T>(kind: Kind<T>, nothing: T): Kind<T | undefined> {
  return {
    ...later(kind, nothing),
    put: (_, cells, at) => kind.put(nothing, cells, at),
    toDocument: () => kind.toDocument(nothing),
  };
}

const earlierOrder = record<EarlierOrder & { readonly isAfterClick?: boolean }>({
  orderId: text,
  currency: text,
  amount: number,
  isAfterClick: earlier(flag, false),
});

const exposedFrame = record<EarlierFrame>(
  {
    frameId: text,
    variant: text,
    firstAt: time,
    lastAt: time,
    shown: list(text),
    clickedAt: earlier(time, 0),
    orderedAt: earlier(time, 0),
    lastClickedAt: earlier(time, 0),
    recommendationIds: later(list(text), []),
    clicks: earlier(list(text), []),
    orders: earlier(list(earlierOrder), []),
    explored: later(list(record<ExploredProduct>({ productId: text, probability: number })), []),
    experimentAt: later(time, 0),
    usedAt: later(list(time), []),
    seenAt: later(list(time), []),
  },
  { gone: [ORDER_IDS] },
);

export const frameExposure = record<StoredExposure>(
  {
    frames: list(exposedFrame),
    shownLists: later(list(record<ShownList>({ frameId: text, at: time, productIds: list(text) })), []),
    acts: later(
      list(
        record<VisitorAct>({
          at: time,
          receivedAt: time,
          isView: flag,
          orderId: text,
          productIds: list(text),
          recommendationIds: list(text),
        }),
      ),
      [],
    ),
    orders: later(
      list(record<VisitorOrder>({ orderId: text, at: time, receivedAt: time, currency: text, amount: number })),
      [],
    ),
    ordersFrom: later(time, 0),
    links: later(list(text), []),
    counted: later(orNull(list(record<Share>({ key: text, tally: frameTally }))), null),
  },
  { complete: fromEarlier },
);

/** Clicks and orders of earlier versions become acts and orders: what the tallies hold of them stays, and is not added again. */
function fromEarlier(stored: StoredExposure): StoredExposure {
  const { frames, counted } = stored;
  const today = { ...stored, frames: frames.map(withoutResults) };
  if (counted !== null) return today;
  return {
    ...today,
    frames: frames.map((frame) => ({ ...withoutResults(frame), usedAt: usesOf(frame) })),
    acts: frames.flatMap(actsOf),
    orders: [...new Map(frames.flatMap(ordersOf).map((order) => [order.orderId, order])).values()],
  };
}

function withoutResults(frame: EarlierFrame): ExposedFrame {
  const { clickedAt: _, orderedAt: __, lastClickedAt: ___, clicks: ____, orders: _____, ...today } = frame;
  return today;
}

/** Clicks that named no answer. */
function usesOf({ clickedAt = 0, lastClickedAt = 0, clicks = [] }: EarlierFrame): readonly number[] {
  return clicks.length > 0 ? [] : [...new Set([clickedAt, lastClickedAt])].filter((at) => at > 0);
}

function actsOf({ clickedAt = 0, lastClickedAt = 0, clicks = [] }: EarlierFrame): VisitorAct[] {
  const acts = clicks.map((click, i) => {
    const end = click.indexOf(" ");
    const at = i > 0 && i === clicks.length - 1 ? lastClickedAt : clickedAt;
    const ids = { productIds: [click.slice(end + 1)], recommendationIds: [click.slice(0, end)] };
    return { at, receivedAt: at, isView: true, orderId: "", ...ids };
  });
  const [first] = acts;
  return acts.length === 1 && first !== undefined && lastClickedAt > clickedAt
    ? [first, { ...first, at: lastClickedAt, receivedAt: lastClickedAt }]
    : acts;
}

/** Earlier versions knew the time of the first order only. */
function ordersOf({ orders = [], orderedAt = 0, lastAt }: EarlierFrame): VisitorOrder[] {
  return orders.map(({ orderId, currency, amount }) => ({
    ...{ orderId, at: orderedAt || lastAt, receivedAt: 0 },
    ...{ currency, amount },
  }));
}
