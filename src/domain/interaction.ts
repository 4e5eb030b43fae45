export type InteractionType = "product_view" | "add_to_cart" | "order";

/** A visitor's interaction with one or more products at one time, for history and training. */
export interface Interaction {
  readonly type: InteractionType;
  readonly at: number;
  readonly productIds: readonly string[];
  /** Event id, or `order:<order id>` for an order: identifies the stored row. */
  readonly ref: string;
  /** Set when a crawler did it; see `Event.bot`. */
  readonly bot?: true;
}

/** The interactions of one visitor, oldest first. */
export interface VisitorHistory {
  readonly visitorId: string;
  readonly interactions: readonly Interaction[];
}
