/**
 * A process that opens the store in the directory given, writes ten events, says so, and closes it, over and over; their
 * ids begin with the text given. Ends when its input does.
 */
import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { openEmbeddedStore } from "../../../../src/store/lmdb/store.js";
import { event } from "../../../contract/samples.js";

const [directory = "", prefix = ""] = process.argv.slice(2);
let isOver = false;
process.stdin.resume().once("end", () => {
  isOver = true;
});

writeSync(1, "begun\n");
for (let round = 0; !isOver; round++) {
  const store = await openEmbeddedStore({ directory, now: Date.now });
  for (let n = 0; n < 10; n++) {
    const id = `${prefix}-${round}-${n}`;
    await store.unitOfWork.run("shop", (tx) => tx.events.put(id, event(id)));
    writeSync(1, `${id}\n`);
  }
  await store.close();
  await pause(20); // so that nobody has it open now and then
}
