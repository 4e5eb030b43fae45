import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import type { Store } from "../../../src/store/ports/store.js";
import type { OpenStore } from "../../contract/open-store.js";

/** A new empty directory, removed by the caller. */
export function makeDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), "aisle-embedded-"));
}

/** The embedded store as the contract suites want it: each in a directory of its own. */
export const openEmbedded: OpenStore = async (now) => {
  const directory = await makeDirectory();
  const open = () => openEmbeddedStore({ directory, now });
  let store: Store = await open();
  return {
    store,
    reopen: async () => {
      await store.close();
      store = await open();
      return store;
    },
    dispose: async () => {
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
