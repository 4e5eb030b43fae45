import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Now } from "../../src/domain/clock.js";
import { openEmbeddedStore } from "../../src/store/lmdb/store.js";
import { openMongoStore } from "../../src/store/mongo/store.js";
import type { Store } from "../../src/store/ports/store.js";
import type { MongoPeer } from "../fixtures/mongo-peer.js";
import { databaseName, PATIENT } from "../store/mongo/open-mongo.js";

/** An empty store for one pair. */
export type OpenWireStore = (now: Now) => Promise<{ readonly store: Store; dispose(): Promise<void> }>;

export const embeddedWireStore: OpenWireStore = async (now) => {
  const directory = await mkdtemp(join(tmpdir(), "aisle-wire-"));
  const store = await openEmbeddedStore({ directory, now });
  return {
    store,
    dispose: async () => {
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
};

export function mongoWireStore(peer: MongoPeer): OpenWireStore {
  return async (now) => {
    const database = databaseName();
    const store = await openMongoStore({ url: peer.url(database), now, limits: PATIENT });
    return {
      store,
      dispose: async () => {
        await store.close();
        await peer.drop(database);
      },
    };
  };
}
