import { randomUUID } from "node:crypto";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import type { Store } from "../../../src/store/ports/store.js";
import type { OpenStore } from "../../contract/open-store.js";
import type { MongoPeer } from "../../fixtures/mongo-peer.js";

/** Long enough for a peer on a busy machine; what happens past the limit is shown by tests of their own. */
export const PATIENT = { answerMs: 30_000 };

/** A name for a database that nobody else uses. */
export function databaseName(): string {
  return `aisle_${randomUUID().replaceAll("-", "").slice(0, 16)}`;
}

/** Opens stores, each over a database of its own on the peer. */
export function openMongoOn(peer: MongoPeer): OpenStore {
  return async (now) => {
    const database = databaseName();
    const url = peer.url(database);
    const open = (clock = now) => openMongoStore({ url, now: clock, elapsed: clock, limits: PATIENT, watchPollMs: 50 });
    let store = await open();
    const others: Store[] = [];
    return {
      store,
      reopen: async () => {
        await store.close();
        store = await open();
        return store;
      },
      openSecond: async (other = now) => {
        const second = await open(other);
        others.push(second);
        return second;
      },
      dispose: async () => {
        await Promise.all([store, ...others].map((one) => one.close()));
        await peer.drop(database);
      },
    };
  };
}
