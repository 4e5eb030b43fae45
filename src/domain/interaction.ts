export type InteractionType = "product_view" | "add_to_cart" | "order";

/** A meeting of a visitor with one or more products at one time, as the history and training read it. */
export interface Interaction {
  readonly type: InteractionType;
  readonly at: number;
  readonly productIds: readonly string[];
  /** Event id, or `order:<order id>` for an order: what the stored row is known by. */
  readonly ref: string;
  /** Set when a robot did it; see `Event.bot`. */
  readonly bot?: true;
}

/** The interactions of one visitor, oldest first. */
export interface VisitorHistory {
  readonly visitorId: string;
  readonly interactions: readonly Interaction[];
}
