import { setTimeout as pause } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Event } from "../../src/gen/aisle/v1/event_pb.js";
import { rpcClients } from "../fixtures/server.js";
import type { FaultOutcome } from "./faults.js";

export type Clients = ReturnType<typeof rpcClients>;

/** What a caller was told, over REST or RPC; `broken` when the call ended without an answer. */
export type Told =
  | { readonly kind: "accepted" | "broken" }
  | { readonly kind: "refused"; readonly by: Response | ConnectError };

/** An event as it is stored. */
export interface StoredEvent {
  readonly eventId: string;
  readonly mark: string;
  readonly productId: string;
  readonly clientId: string;
}

type Counts = Pick<FaultOutcome, "acknowledged" | "lost" | "duplicated" | "wrong">;

const productOf = (mark: string) => `p${Number(mark) % 50}`;
const visitorOf = (mark: string) => `c${Number(mark) % 40}`;

/**
 * Events to the app `shop`, each with a mark of its own from which all it says follows, so that of each stored event can
 * be told whether it was sent, as it is, and is there once.
 */
export class EventLoad {
  /** The event ids that callers were told, by mark. */
  readonly acknowledged = new Map<string, string>();
  private sent = 0;

  /** Sends the next event as a storefront does. */
  async post(facadeUrl: string): Promise<Told> {
    const mark = String(this.sent++);
    const form = {
      app_id: "shop",
      action_type: "product_view",
      product_ids: productOf(mark),
      c_id: visitorOf(mark),
      mark,
    };
    try {
      const answer = await fetch(`${facadeUrl}/trace`, { method: "POST", body: new URLSearchParams(form) });
      if (answer.status !== 200) return { kind: "refused", by: answer };
      this.acknowledged.set(mark, answer.headers.get("x-service-event-id") ?? "");
      await answer.arrayBuffer().catch(() => undefined); // the head has said it all
      return { kind: "accepted" };
    } catch {
      return { kind: "broken" };
    }
  }

  /** Sends the next event as an internal caller does. */
  async record({ events }: Clients): Promise<Told> {
    const mark = String(this.sent++);
    const event = {
      actionType: "product_view",
      products: [{ productId: productOf(mark) }],
      visitor: { clientId: visitorOf(mark) },
      extraFields: { mark },
    };
    try {
      this.acknowledged.set(mark, (await events.recordEvent({ appId: "shop", event })).eventId);
      return { kind: "accepted" };
    } catch (error) {
      return { kind: "refused", by: ConnectError.from(error) };
    }
  }

  /** So many storefronts send one event after the other until one of theirs is not accepted. */
  async untilRefused(facadeUrl: string, callers: number): Promise<void> {
    const call = async () => {
      while ((await this.post(facadeUrl)).kind === "accepted");
    };
    await Promise.all(Array.from({ length: callers }, call));
  }

  /** So many storefronts send one event after the other, whatever is answered, until the returned function is called. */
  untilStopped(facadeUrl: string, callers: number): () => Promise<void> {
    let isStopped = false;
    const call = async () => {
      while (!isStopped) if ((await this.post(facadeUrl)).kind !== "accepted") await pause(20);
    };
    const ended = Promise.all(Array.from({ length: callers }, call));
    return async () => {
      isStopped = true;
      await ended;
    };
  }

  /** Judges all that is stored. */
  judge(stored: readonly StoredEvent[]): Counts {
    const ids = new Map<string, string>();
    let duplicated = 0;
    let wrong = 0;
    for (const { eventId, mark, productId, clientId } of stored) {
      if (ids.has(mark)) duplicated++;
      ids.set(mark, eventId);
      const isAsSent = Number(mark) < this.sent && productId === productOf(mark) && clientId === visitorOf(mark);
      if (!isAsSent || (this.acknowledged.get(mark) ?? eventId) !== eventId) wrong++;
    }
    const lost = [...this.acknowledged].filter(([mark, eventId]) => ids.get(mark) !== eventId).length;
    return { acknowledged: this.acknowledged.size, lost, duplicated, wrong };
  }
}

/** An event as it was answered; undefined for one that is none of the load. */
export function storedEventOf({ eventId, extraFields, products, visitor }: Event): StoredEvent | undefined {
  const { mark } = extraFields;
  if (mark === undefined) return undefined;
  return { eventId, mark, productId: products[0]?.productId ?? "", clientId: visitor?.clientId ?? "" };
}

const PAGE = 250;

/** Asks again while the store of a busy machine is late. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 20; ; tries--) {
    try {
      return await ask();
    } catch (error) {
      if (tries === 0 || ConnectError.from(error).code !== Code.Unavailable) throw error;
    }
  }
}

/** All events with a mark that a server lists. */
export async function storedEvents(rpcUrl: string): Promise<StoredEvent[]> {
  const { events } = rpcClients(rpcUrl);
  const found: StoredEvent[] = [];
  for (let pageToken = ""; ; ) {
    const page = await patiently(() => events.listEvents({ appId: "shop", pageSize: PAGE, pageToken }));
    found.push(...page.events.flatMap((event) => storedEventOf(event) ?? []));
    pageToken = page.nextPageToken;
    if (pageToken === "") return found;
  }
}
