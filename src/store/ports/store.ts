import type { AppStore } from "./app-store.js";
import type { ContactStore } from "./contact-store.js";
import type { Copies } from "./copies.js";
import type { EventStore } from "./event-store.js";
import type { FeedStore } from "./feed-store.js";
import type { HookStore } from "./hook-store.js";
import type { InteractionStore } from "./interaction-store.js";
import type { Leases } from "./lease.js";
import type { ModelStore } from "./model-store.js";
import type { OperationStore } from "./operation-store.js";
import type { OrderStore } from "./order-store.js";
import type { ProductStore } from "./product-store.js";
import type { RejectedEventStore } from "./rejected-event-store.js";
import type { TallyBoard } from "./tally-board.js";
import type { UnitOfWork } from "./unit-of-work.js";
import type { VisitorStore } from "./visitor-store.js";

/** All stored data, one port for each aggregate. Every read and write names an app. */
export interface Store {
  readonly apps: AppStore;
  readonly events: EventStore;
  readonly rejectedEvents: RejectedEventStore;
  readonly visitors: VisitorStore;
  readonly interactions: InteractionStore;
  readonly contacts: ContactStore;
  readonly hooks: HookStore;
  readonly feeds: FeedStore;
  readonly products: ProductStore;
  readonly orders: OrderStore;
  readonly models: ModelStore;
  readonly operations: OperationStore;
  /** Leases that decide which process trains an app. */
  readonly leases: Leases;
  /** Copies apps from or into another store. */
  readonly copies: Copies;
  readonly unitOfWork: UnitOfWork;
  /**
   * Removes an app's erased data from logs and other internal structures, as far as the store can while it serves. The
   * rest disappears within the time that docs/privacy.md states.
   */
  scrub(appId: string): Promise<void>;
  /** Present when processes on several machines can share the store. */
  readonly tallies?: TallyBoard;
  /** Resolves when the store can make an event durable now; otherwise rejects with Unavailable and the reason. */
  ready(): Promise<void>;
  /** Waits for writes in progress, then closes. */
  close(): Promise<void>;
}
