import type { AppStore } from "./app-store.js";
import type { ContactStore } from "./contact-store.js";
import type { Copies } from "./copies.js";
import type { EventStore } from "./event-store.js";
import type { FeedStore } from "./feed-store.js";
import type { HookStore } from "./hook-store.js";
import type { InteractionStore } from "./interaction-store.js";
import type { Leases } from "./lease.js";
import type { ModelStore } from "./model-store.js";
import type { OrderStore } from "./order-store.js";
import type { ProductStore } from "./product-store.js";
import type { RejectedEventStore } from "./rejected-event-store.js";
import type { TallyBoard } from "./tally-board.js";
import type { UnitOfWork } from "./unit-of-work.js";
import type { VisitorStore } from "./visitor-store.js";

/** Everything Aisle keeps, one port for each aggregate. Every read and write names an app. */
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
  /** Which process trains which app. */
  readonly leases: Leases;
  /** Apps as they are kept, for another store. */
  readonly copies: Copies;
  readonly unitOfWork: UnitOfWork;
  /**
   * Takes what was removed from an app out of what the store keeps beside its records, as far as it can while it serves:
   * the rest leaves by itself within the time that docs/privacy.md says.
   */
  scrub(appId: string): Promise<void>;
  /** Where processes of several machines share the store. */
  readonly tallies?: TallyBoard;
  /** Resolves when an event could be made durable now; else rejects with Unavailable, which says why. */
  ready(): Promise<void>;
  /** Waits for writes under way, then closes. */
  close(): Promise<void>;
}
