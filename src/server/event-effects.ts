import { createLearnProducts } from "../catalog/learn-products.js";
import { LINK_LIMITS } from "../identity/links/link-limits.js";
import { createApplySubscription } from "../identity/subscription-effect.js";
import type { Suppressions } from "../identity/suppressions.js";
import { createIdentify } from "../identity/visitors.js";
import { keepHistory } from "../intake/history.js";
import { keepOrderBook } from "../intake/order-book.js";
import { createTakeEvent } from "../intake/record-event.js";
import { createMarkResults } from "../results/due-results.js";
import type { AppDependencies } from "./stages.js";

/** Records an event with all its effects. */
export function createEventTaker({
  linkLimits = LINK_LIMITS,
  learnProducts = "auto",
  newSecret,
  newId,
  suppressions,
  splits = () => true,
}: Pick<AppDependencies, "linkLimits" | "learnProducts" | "newSecret" | "newId"> & {
  readonly suppressions?: Suppressions | undefined;
  /** See `FrameResults`. */
  readonly splits?: ((appId: string) => boolean) | undefined;
}) {
  return createTakeEvent({
    identify: createIdentify({ limits: linkLimits, newSecret, suppressions }),
    effects: [
      createApplySubscription({ newSalt: newSecret, newId, suppressions }),
      createLearnProducts(learnProducts),
      keepHistory,
      keepOrderBook,
      ...createMarkResults(splits),
    ],
  });
}
