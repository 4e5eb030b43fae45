/** What a merchant decides about single products of frames: pins and bans. */
import type { FrameConfiguration } from "../../src/gen/aisle/v1/frame_configuration_pb.js";

/** A change of frames. A frame that it returns unchanged is not written. */
export interface Edit {
  /** In the past tense, for example `Lark is pinned`. */
  readonly said: string;
  readonly of: (frame: FrameConfiguration) => FrameConfiguration;
}

/** The frame with the product at a place among its pins, from 0. A pinned product is not banned. */
export function withPin(frame: FrameConfiguration, productId: string, place: number): FrameConfiguration {
  const pinned = without(frame.pinnedProductIds, productId);
  const bannedProductIds = without(frame.bannedProductIds, productId);
  return {
    ...frame,
    pinnedProductIds: [...pinned.slice(0, place), productId, ...pinned.slice(place)],
    bannedProductIds,
  };
}

/** The frame with the product banned, and no longer pinned, in its variants neither. */
export function withBan(frame: FrameConfiguration, productId: string): FrameConfiguration {
  if (frame.bannedProductIds.includes(productId)) return frame;
  return {
    ...frame,
    pinnedProductIds: without(frame.pinnedProductIds, productId),
    bannedProductIds: [...frame.bannedProductIds, productId],
    variants: frame.variants.map((variant) =>
      variant.pinChoice === undefined
        ? variant
        : {
            ...variant,
            pinChoice: { ...variant.pinChoice, productIds: without(variant.pinChoice.productIds, productId) },
          },
    ),
  };
}

/** The frame as it would be without any decision about the product. */
export function released(frame: FrameConfiguration, productId: string): FrameConfiguration {
  if (![...frame.pinnedProductIds, ...frame.bannedProductIds].includes(productId)) return frame;
  return {
    ...frame,
    pinnedProductIds: without(frame.pinnedProductIds, productId),
    bannedProductIds: without(frame.bannedProductIds, productId),
  };
}

/** Takes the pins and bans back to those of `before`; everything else of the frame stays. */
export function withPinsOf(frame: FrameConfiguration, before: FrameConfiguration): FrameConfiguration {
  return {
    ...frame,
    pinnedProductIds: before.pinnedProductIds,
    bannedProductIds: before.bannedProductIds,
    variants: frame.variants.map((variant) => {
      const pinChoice = before.variants.find(({ name }) => name === variant.name)?.pinChoice;
      return pinChoice === undefined ? variant : { ...variant, pinChoice };
    }),
  };
}

/** Where the product is pinned or banned, for example `pinned in default, place 1`. */
export function decisionsAbout(
  frames: readonly FrameConfiguration[],
  productId: string,
): readonly { readonly frameId: string; readonly text: string }[] {
  return frames.flatMap(({ frameId, pinnedProductIds, bannedProductIds }) => {
    const place = pinnedProductIds.indexOf(productId) + 1;
    if (place > 0) return [{ frameId, text: `pinned in ${frameId}, place ${place}` }];
    return bannedProductIds.includes(productId) ? [{ frameId, text: `banned in ${frameId}` }] : [];
  });
}

function without(productIds: readonly string[], productId: string): string[] {
  return productIds.filter((other) => other !== productId);
}
