/** Adds 1 to a count in the store as often as it is told, several works at once, in a process of its own. */
import { openEmbeddedStore } from "../../../../src/store/lmdb/store.js";

const [directory = "", times = "0"] = process.argv.slice(2);

const store = await openEmbeddedStore({ directory, now: Date.now });
const increment = () =>
  store.unitOfWork.run("shop", (tx) => {
    tx.visitorKeys.put("count", String(Number(tx.visitorKeys.get("count") ?? 0) + 1));
  });
for (let n = 0; n < Number(times); n += 20) await Promise.all(Array.from({ length: 20 }, increment));
await store.close();
