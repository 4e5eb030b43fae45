/** Frames of the demo shop, and what came of them: one experiment has ended, two are running. */
import { bareFrame, type FrameConfiguration, type FrameToWrite, type FrameVariant } from "../../../domain/frame.js";
import { NO_MONEY } from "../../../domain/money.js";
import type { Shown } from "../../../recommend/shown.js";
import { variantOf } from "../../../recommend/variants.js";
import { orderAmountOf } from "../../../results/order-amount.js";
import { createResultsTally, type ResultsTally, type Tallies } from "../../../results/past-results.js";
import { DEMO_APP_ID } from "../catalogue.js";
import type { DemoEventsOptions } from "./events.js";
import { createSeededRandom, type Random } from "./random.js";
import type { Track } from "./tracks.js";

const DAY = 86_400_000;
/** A view so soon after a list may have come from it. */
const CLICK_MS = 10 * 60_000;
/** Visitors who look at their cart when they have put something into it. */
const OPENS_CART = 0.4;

export interface DemoFrames {
  /** Each frame from its first version to its last. */
  readonly versions: readonly FrameToWrite[];
  readonly tallies: Tallies;
}

/** One version of a frame. */
interface Version {
  readonly frame: FrameToWrite;
  /** Of those who go on to a product soon, the share that comes from the list. */
  readonly clickShare: Readonly<Record<string, number>>;
}

/** The frames, and their results by the visits of `demoTracks`. Same options and tracks, same results. */
export function demoFrames(tracks: readonly Track[], options: DemoEventsOptions): DemoFrames {
  const versions = frameVersions(options);
  const random = createSeededRandom(options.seed);
  const clicks = createClicks();
  const tally = createResultsTally();
  for (const [visitorKey, visit] of byVisitor(tracks)) simulate(visitorKey, visit, { versions, random, clicks, tally });
  return { versions: versions.map(({ frame }) => frame), tallies: tally.tallies() };
}

function byVisitor(tracks: readonly Track[]): ReadonlyMap<string, readonly Track[]> {
  const found = new Map<string, Track[]>();
  for (const track of tracks) {
    const key = `f:${track.event.visitor?.fingerprintId ?? ""}`;
    const list = found.get(key);
    if (list === undefined) found.set(key, [track]);
    else list.push(track);
  }
  return found;
}

interface Simulation {
  readonly versions: readonly Version[];
  readonly random: Random;
  readonly clicks: Clicks;
  readonly tally: ResultsTally;
}

/** Shows one visitor the frames of the pages that were opened, and follows clicks and orders. */
function simulate(visitorKey: string, tracks: readonly Track[], { versions, random, clicks, tally }: Simulation): void {
  for (const [index, track] of tracks.entries()) {
    const { at, event } = track;
    const { actionType = "", order } = event;
    const { amount = "", currency = "" } = order?.payment ?? NO_MONEY;
    if (order !== undefined)
      tally.ordered(visitorKey, {
        ...{ orderId: order.orderId ?? "", at, receivedAt: at },
        ...orderAmountOf({ amount, currency }),
      });
    const frameId = frameOfPage(actionType, random);
    const version = versions.findLast(({ frame }) => frame.frameId === frameId && frame.updatedAt <= at);
    if (version === undefined) continue;
    const variant = variantOf(DEMO_APP_ID, version.frame, visitorKey)?.name ?? "";
    const recommendationId = `${index}`;
    const next = tracks[index + 1];
    const goesOn = next?.event.actionType === "product_view" && next.at - at < CLICK_MS;
    const isClick = goesOn && clicks.isNext(`${version.frame.updatedAt} ${variant}`, version.clickShare[variant] ?? 0);
    const productIds = isClick ? (next.event.products ?? []).map(({ productId }) => productId ?? "") : [];
    const { frame } = version;
    const ids = { frameId: frame.frameId, variant, experimentAt: variant === "" ? 0 : frame.updatedAt };
    tally.shown({ ...NOTHING_SHOWN, ...ids, visitorKey, recommendationId, productIds }, at);
    if (isClick)
      tally.acted(visitorKey, {
        ...{ at: next.at, receivedAt: next.at, isView: true, orderId: "" },
        ...{ productIds, recommendationIds: [recommendationId] },
      });
  }
}

interface Clicks {
  /** Whether the next view comes from the list; evenly as often as the share says. */
  isNext(list: string, share: number): boolean;
}

/** Clicks are not drawn at random: then a demo begun at an unlucky hour would show another winner. */
function createClicks(): Clicks {
  const due = new Map<string, number>();
  return {
    isNext: (list, share) => {
      const sum = (due.get(list) ?? 0) + share;
      due.set(list, sum >= 1 ? sum - 1 : sum);
      return sum >= 1;
    },
  };
}

const NOTHING_SHOWN: Shown = {
  appId: DEMO_APP_ID,
  frameId: "",
  variant: "",
  experimentAt: 0,
  rotates: false,
  visitorKey: "",
  visitorKeys: [],
  explored: [],
  recommendationId: "",
  productIds: [],
  variantGroupIds: [],
  usedAt: 0,
};

function frameOfPage(actionType: string, random: Random): string | undefined {
  if (actionType === "homepage_view") return "home";
  if (actionType === "product_view") return "product";
  return actionType === "add_to_cart" && random.chance(OPENS_CART) ? "cart" : undefined;
}

/**
 * `home` compares lists of more variety since three weeks: they get more clicks. `product` has ended a comparison without a
 * difference. `cart` compares since yesterday, which is too early.
 */
function frameVersions({ until, days }: DemoEventsOptions): Version[] {
  const frame = (frameId: string, title: string, daysAgo: number, more: Partial<FrameConfiguration>): FrameToWrite => ({
    ...bareFrame(frameId),
    recommendedCount: 10,
    alternativeCount: 10,
    title,
    updatedAt: until - daysAgo * DAY,
    ...more,
  });
  const home = (daysAgo: number, more: Partial<FrameConfiguration>) => frame("home", "Home page", daysAgo, more);
  const product = (daysAgo: number, more: Partial<FrameConfiguration>) =>
    frame("product", "Product page", daysAgo, more);
  const cart = (daysAgo: number, more: Partial<FrameConfiguration>) => frame("cart", "Cart", daysAgo, more);
  return [
    { frame: home(days, {}), clickShare: { "": 0.22 } },
    {
      frame: home(days / 2, {
        variants: [variantNamed("as-before", {}), variantNamed("more-variety", { diversity: 0.4 })],
      }),
      clickShare: { "as-before": 0.15, "more-variety": 0.6 },
    },
    {
      frame: product(days, {
        variants: [variantNamed("as-before", {}), variantNamed("viewed-too", { includeViewed: true })],
      }),
      clickShare: { "as-before": 0.2, "viewed-too": 0.2 },
    },
    { frame: product(days / 2, {}), clickShare: { "": 0.2 } },
    { frame: cart(days, {}), clickShare: { "": 0.3 } },
    {
      frame: cart(1, { variants: [variantNamed("ten", {}), variantNamed("six", { recommendedCount: 6 })] }),
      clickShare: { ten: 0.3, six: 0.3 },
    },
  ];
}

/** A variant for as many visitors as each other one, with the frame's settings but for `changes`. */
function variantNamed(name: string, changes: Partial<FrameVariant>): FrameVariant {
  return {
    name,
    weight: 1,
    recommendedCount: null,
    alternativeCount: null,
    diversity: null,
    sources: null,
    includeViewed: null,
    includeBought: null,
    rotation: null,
    rotationRate: null,
    rotationDays: null,
    readyList: null,
    rules: null,
    exploration: null,
    fallback: null,
    filter: null,
    pinnedProductIds: null,
    ...changes,
  };
}
