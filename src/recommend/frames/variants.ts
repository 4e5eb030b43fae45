/**
 * Chooses a visitor's variant of a frame by weighted rendezvous hashing (Thaler, Ravishankar 1998; weights as in Schindelhauer,
 * Schomaker 2005). Visitor and variant hash to a number in (0, 1); the least -ln(number) / weight wins. The shares follow
 * the weights, and are the same on every server and after every restart. If one weight changes, visitors move only to that
 * variant or away from it. Cost: one SHA-256 for each variant, some 2 µs.
 */
import { createHash } from "node:crypto";
import type { FrameConfiguration, FrameVariant } from "../../domain/frame.js";
import { type VisitorIds, type VisitorKey, visitorKeys } from "../../domain/ids.js";

/** The id that decides the variant: fingerprint id, else client id, else user id. Undefined if the visitor sent none. */
export function splittingKey(ids: VisitorIds): VisitorKey | undefined {
  const keys = visitorKeys(ids);
  return keys.find((key) => key.startsWith("f:")) ?? keys[0];
}

/** Undefined when the frame has no variants, and for a visitor without an id. */
export function variantOf(
  appId: string,
  { frameId, variants }: Pick<FrameConfiguration, "frameId" | "variants">,
  visitorKey: VisitorKey | undefined,
): FrameVariant | undefined {
  if (visitorKey === undefined) return undefined;
  let chosen: FrameVariant | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const variant of variants) {
    if (!(variant.weight > 0)) continue;
    const distance = -Math.log(draw([appId, frameId, variant.name, visitorKey])) / variant.weight;
    if (chosen === undefined || distance < least) {
      chosen = variant;
      least = distance;
    }
  }
  return chosen;
}

/** The frame with the changes of the variant. */
export function frameOfVariant(frame: FrameConfiguration, variant: FrameVariant): FrameConfiguration {
  return {
    ...frame,
    recommendedCount: variant.recommendedCount ?? frame.recommendedCount,
    alternativeCount: variant.alternativeCount ?? frame.alternativeCount,
    diversity: variant.diversity ?? frame.diversity,
    sources: variant.sources ?? frame.sources,
    includeViewed: variant.includeViewed ?? frame.includeViewed,
    includeBought: variant.includeBought ?? frame.includeBought,
    rotation: variant.rotation ?? frame.rotation,
    rotationRate: variant.rotationRate ?? frame.rotationRate,
    rotationDays: variant.rotationDays ?? frame.rotationDays,
    readyList: variant.readyList ?? frame.readyList,
    rules: variant.rules ?? frame.rules,
    exploration: variant.exploration ?? frame.exploration,
    fallback: variant.fallback ?? frame.fallback,
    filter: variant.filter ?? frame.filter,
    pinnedProductIds: variant.pinnedProductIds ?? frame.pinnedProductIds,
  };
}

const DRAWS = 2 ** 48;

/** A number between 0 and 1, both excluded, that depends on the parts only. */
function draw(parts: readonly string[]): number {
  const hash = createHash("sha256").update(parts.join("\0")).digest();
  return (hash.readUIntBE(0, 6) + 0.5) / DRAWS;
}
