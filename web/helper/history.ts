import { isObject, listOf, type Shelf } from "./shelf.js";

export const INTERACTION_TYPES = ["product_view", "add_to_cart", "order"] as const;
export type InteractionType = (typeof INTERACTION_TYPES)[number];

/** An interaction in the form of POST /recommend. */
export interface Interaction {
  readonly productInteractionType: InteractionType;
  readonly productId: string;
  readonly productSku: string;
  readonly utcInteractionDate: string;
}

export interface FrameInteraction {
  readonly trackerProductGroupId: string;
  readonly utcInteractionDate: string;
}

/** How many of each type are kept, the newest. */
const MOST = 200;

/** The visitor's interactions with products and frames, oldest first. All tabs of a shop share them. */
export interface History {
  add(type: InteractionType, products: readonly { readonly id?: string; readonly sku?: string }[]): void;
  interactions(): readonly Interaction[];
  addFrameUse(frameId: string): void;
  frameUses(): readonly FrameInteraction[];
  /** Stores the engine's version. A new version resets the frames. */
  note(version: string): void;
  /** The version in the last answer; null before the first. */
  version(): string | null;
}

export function createHistory(shelf: Shelf, now: () => number): History {
  const interactions = () => listOf(shelf.read("history"), isInteraction);
  const frameUses = () => listOf(shelf.read("frames"), isFrameInteraction);
  const date = () => new Date(now()).toISOString();
  return {
    interactions,
    frameUses,
    add(type, products) {
      const utcInteractionDate = date();
      const added = products.map(({ id = "", sku = "" }) => {
        return { productInteractionType: type, productId: id, productSku: sku, utcInteractionDate };
      });
      const all = [...interactions(), ...added];
      const newest = INTERACTION_TYPES.flatMap((one) =>
        all.filter(({ productInteractionType }) => productInteractionType === one).slice(-MOST),
      );
      const kept = new Set<Interaction>(newest);
      shelf.write(
        "history",
        all.filter((one) => kept.has(one)),
      );
    },
    addFrameUse(trackerProductGroupId) {
      shelf.write("frames", [...frameUses(), { trackerProductGroupId, utcInteractionDate: date() }].slice(-MOST));
    },
    note(version) {
      if (shelf.read("version") === version) return;
      shelf.write("version", version);
      shelf.write("frames", []);
    },
    version() {
      const version = shelf.read("version");
      return typeof version === "string" ? version : null;
    },
  };
}

function isInteraction(value: unknown): value is Interaction {
  if (!isObject(value)) return false;
  const { productInteractionType, productId, productSku, utcInteractionDate } = value;
  const isKnown = INTERACTION_TYPES.some((type) => type === productInteractionType);
  return isKnown && [productId, productSku, utcInteractionDate].every((text) => typeof text === "string");
}

function isFrameInteraction(value: unknown): value is FrameInteraction {
  return (
    isObject(value) && typeof value.trackerProductGroupId === "string" && typeof value.utcInteractionDate === "string"
  );
}
