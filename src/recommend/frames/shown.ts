import type { ExploredProduct } from "../../domain/frame-exposure.js";
import type { VisitorKey } from "../../domain/ids.js";

/** A frame that was filled for a visitor. */
export interface Shown {
  readonly appId: string;
  readonly frameId: string;
  /** "" where visitors are not split. */
  readonly variant: string;
  /** When the experiment began that the variant belongs to; 0 without one. */
  readonly experimentAt: number;
  /** Whether the frame rotates: then what it shows is remembered. */
  readonly rotates: boolean;
  /** The id that decides the variant. */
  readonly visitorKey: VisitorKey;
  /** All ids that the request named. */
  readonly visitorKeys: readonly VisitorKey[];
  /** Products that have their places by exploration. */
  readonly explored: readonly ExploredProduct[];
  /** Id of the answer that comes back with clicks; "" where none was asked for. */
  readonly recommendationId: string;
  readonly productIds: readonly string[];
  /** Groups that these are variants of: a page may post the group when it is clicked. */
  readonly variantGroupIds: readonly string[];
  /** When the visitor last used the frame, as the request told; 0: not that it knows. */
  readonly usedAt: number;
}
