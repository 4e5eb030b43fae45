/**
 * A process that a test kills: opens the store at the URL given and does works without pause, ten at a time, each a
 * count and an event that says which; prints the number of each that is done.
 */
import { writeSync } from "node:fs";
import { openMongoStore } from "../../../../src/store/mongo/store.js";
import { event, order } from "../../../contract/samples.js";

const [url = ""] = process.argv.slice(2);

const store = await openMongoStore({ url, now: Date.now, limits: { answerMs: 30_000 } });
const work = () =>
  store.unitOfWork.run("shop", (tx) => {
    const count = Number(tx.visitorKeys.get("count") ?? 0) + 1;
    const id = `e${String(count).padStart(6, "0")}`;
    tx.visitorKeys.put("count", String(count));
    tx.events.put(id, event(id));
    tx.orders.put("o", order("o", { statusAt: count }));
    return count;
  });
await Promise.all(
  Array.from({ length: 10 }, async () => {
    for (;;) writeSync(1, `${await work()}\n`);
  }),
);
