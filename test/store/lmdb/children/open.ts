/** A process that tests run as another user: opens stores in the directories given and prints for each what came of it. */
import { openEmbeddedStore } from "../../../../src/store/lmdb/store.js";

for (const directory of process.argv.slice(2)) {
  const outcome = await openEmbeddedStore({ directory, now: Date.now }).then(
    async (store) => {
      await store.close();
      return "open";
    },
    (error: unknown) => (error instanceof Error ? error.message : "no error"),
  );
  console.log(outcome);
}
