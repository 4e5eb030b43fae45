/**
 * A process whose disk tests cut: in the store of the directory given it publishes a model, removes older ones and makes
 * a backup, that many times, and prints after each step `model <n>` or `backup <n>` and how long the journal was then.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { backupStore } from "../../../src/store/lmdb/backup.js";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { event, model, pointer } from "../../contract/samples.js";

const [root = "", times = "1", journal = ""] = process.argv.slice(2);

const directory = join(root, "store");
const say = (line: string) => process.stdout.write(`${line} ${statSync(journal).size}\n`);
const store = await openEmbeddedStore({ directory, now: Date.now });
for (let n = 0; n < Number(times); n++) {
  const bytes = Buffer.alloc(20_000, `model ${n} `);
  await store.models.put("shop", model(`m${n}`, bytes), [bytes]);
  await store.models.setPointer("shop", () => pointer(`m${n}`, String(n)));
  say(`model ${n}`);
  await store.models.prune("shop", 2);
  await store.unitOfWork.run("shop", (tx) => tx.events.put(`e${n}`, event(`e${n}`)));
  await backupStore(directory, join(root, `backup-${n}`));
  say(`backup ${n}`);
}
await store.close();
