/** Stands for the currency of orders that tell an amount without one (ISO 4217: no currency). */
export const NO_CURRENCY = "XXX";

/** Orders of one currency, and what they paid together. */
export interface Sales {
  /** ISO 4217, `NO_CURRENCY` where an amount came without one; "" for orders whose payment is not known. */
  readonly currency: string;
  readonly orders: number;
  /** In millionths of the currency's unit. */
  readonly amount: number;
}

/**
 * Results of a frame, or of one variant in one experiment, for visitors who first saw it on one day (UTC). Each visitor
 * counts once as exposed, clicked and ordered, so that rates are shares of visitors.
 */
export interface FrameTally {
  /** Answers on any day. */
  readonly exposures: number;
  /** Visitors who first saw it on this day. */
  readonly visitors: number;
  /** Of these, visitors who then clicked. */
  readonly clicked: number;
  /** Of these, visitors with an order in `afterClick` or `withoutClick`. */
  readonly ordered: number;
  /** Clicks of these visitors that named the list they came from, each list and product once. */
  readonly clicks: number;
  /** Their orders within 7 days of a click, by currency. */
  readonly afterClick: readonly Sales[];
  /** Their other orders within 7 days of seeing the frame. */
  readonly withoutClick: readonly Sales[];
}

export const NO_TALLY: FrameTally = {
  exposures: 0,
  visitors: 0,
  clicked: 0,
  ordered: 0,
  clicks: 0,
  afterClick: [],
  withoutClick: [],
};

export function sumOfTallies(a: FrameTally, b: FrameTally): FrameTally {
  return {
    exposures: a.exposures + b.exposures,
    visitors: a.visitors + b.visitors,
    clicked: a.clicked + b.clicked,
    ordered: a.ordered + b.ordered,
    clicks: a.clicks + b.clicks,
    afterClick: sumOfSales(a.afterClick, b.afterClick),
    withoutClick: sumOfSales(a.withoutClick, b.withoutClick),
  };
}

/** The one without the other. */
export function withoutTally(a: FrameTally, b: FrameTally): FrameTally {
  const negative = (sales: readonly Sales[]) =>
    sales.map(({ currency, orders, amount }) => ({ currency, orders: -orders, amount: -amount }));
  return sumOfTallies(a, {
    exposures: -b.exposures,
    visitors: -b.visitors,
    clicked: -b.clicked,
    ordered: -b.ordered,
    clicks: -b.clicks,
    afterClick: negative(b.afterClick),
    withoutClick: negative(b.withoutClick),
  });
}

/** By currency, in the order of their codes. */
function sumOfSales(a: readonly Sales[], b: readonly Sales[]): readonly Sales[] {
  if (b.length === 0) return a;
  const sums = new Map(a.map((one) => [one.currency, one]));
  for (const { currency, orders, amount } of b) {
    const before = sums.get(currency);
    sums.set(currency, { currency, orders: orders + (before?.orders ?? 0), amount: amount + (before?.amount ?? 0) });
  }
  const left = [...sums.values()].filter(({ orders, amount }) => orders !== 0 || amount !== 0);
  return left.sort((one, other) => (one.currency < other.currency ? -1 : 1));
}

const DAY_MS = 86_400_000;

/** `2026-11-21` of a time, UTC. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Days that reports are kept. */
const REPORT_DAYS = 730;

/** How long reports are kept, and exposures with them. */
export const REPORT_MS = REPORT_DAYS * DAY_MS;

/** What a tally counts: all of a frame on a day, or one variant of an experiment. */
export interface Tallied {
  readonly frameId: string;
  readonly day: string;
  /** "" for all of the frame. */
  readonly variant: string;
  /** When the experiment began, in milliseconds since 1970; 0 for one of an earlier version, which did not say. */
  readonly experimentAt: number;
  /** Earlier versions counted a variant only here, and not in all of the frame. */
  readonly isEarlier: boolean;
}

/** The key of a tally within its app: in order of frames, then of days. */
export function tallyKey({ frameId, day, variant, experimentAt }: Omit<Tallied, "isEarlier">): string {
  return variant === "" ? `${frameId}/${day}/` : `${frameId}/${day}/${variant}/${experimentAt}`;
}

export function talliedOf(key: string): Tallied {
  const [frameId = "", day = "", variant = "", experimentAt] = key.split("/");
  return {
    ...{ frameId, day, variant, experimentAt: Number(experimentAt ?? 0) },
    isEarlier: variant !== "" && experimentAt === undefined,
  };
}
