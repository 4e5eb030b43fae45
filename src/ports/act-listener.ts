import type { VisitorIds } from "../domain/visitor.js";

/** What an event says of what a visitor did with which products. */
export interface VisitorAct {
  readonly visitor: VisitorIds;
  readonly actionType: string;
  readonly productIds: readonly string[];
  /** Of an order or its cancellation; "" for others. */
  readonly orderId: string;
  readonly bot: boolean;
  readonly occurredAt: number;
}

/** Is told of events after they were stored, of apps whose events it wants. */
export interface ActListener {
  wants(appId: string): boolean;
  took(appId: string, act: VisitorAct): void;
}
