/** Opens the store for reading in a worker thread and answers each message with what it reads then. */
import { parentPort, workerData } from "node:worker_threads";
import { openEmbeddedStore } from "../../../../src/store/lmdb/store.js";

const directory: unknown = workerData;
if (typeof directory !== "string" || parentPort === null) throw new Error("started without a directory");
const port = parentPort;

const store = await openEmbeddedStore({ directory, now: Date.now, readOnly: true });
port.on("message", async (message: unknown) => {
  if (message === "close") {
    await store.close();
    port.close();
    return;
  }
  let rows = 0;
  for await (const batch of store.interactions.scan("shop")) {
    for (const history of batch) rows += history.interactions.length;
  }
  const refused = await store.unitOfWork.run("shop", () => false).catch(() => true);
  port.postMessage({ rows, refused });
});
port.postMessage("open");
