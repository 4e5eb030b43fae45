/**
 * What the kind of page a frame stands on means for what it shows, in frames that name no sources: which products
 * `recommended` is asked to go with, and which products come first.
 */
import type { FrameConfiguration, PageKind } from "../domain/frame.js";
import type { VisitorContext } from "./visitor-context.js";

/** What `recommended` is asked to go with. */
export interface Asked {
  readonly context: VisitorContext;
  /** Products being viewed. */
  readonly current: readonly string[];
}

/** The kind of page that decides; "" where the request does, as in a frame that names its sources. */
export function decidingKind({ pageKind, sources }: Pick<FrameConfiguration, "pageKind" | "sources">): PageKind {
  return sources.length === 0 ? pageKind : "";
}

/** On the page of a cart or an order the current products are part of it; the first page of a shop is about neither. */
export function askedOn(kind: PageKind, context: VisitorContext, current: readonly string[]): Asked {
  const about = (products: readonly string[]) => ({ context: { ...context, cart: products }, current: [] });
  switch (kind) {
    case "home":
      return about([]);
    case "cart":
      return about([...new Set([...context.cart, ...current])]);
    case "order":
      return about(justBought(context, current));
    default:
      return { context, current };
  }
}

/** The products of the visitor's last order, with those of the page that thanks for it. */
function justBought({ sequence }: Pick<VisitorContext, "sequence">, current: readonly string[]): string[] {
  const at = sequence.findLast(({ type }) => type === "order")?.at;
  const ordered = sequence.filter((step) => step.type === "order" && step.at === at);
  return [...new Set([...ordered.map(({ productId }) => productId), ...current])];
}

/** What a visitor has already as far as the page tells: the cart, with what the page of a cart or an order is about. */
export function ownedOn(
  { pageKind }: Pick<FrameConfiguration, "pageKind">,
  context: Pick<VisitorContext, "cart" | "sequence">,
  current: readonly string[],
): readonly string[] {
  if (pageKind === "cart") return [...context.cart, ...current];
  return pageKind === "order" ? [...context.cart, ...justBought(context, current)] : context.cart;
}
