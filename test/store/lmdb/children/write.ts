/**
 * A process that tests watch or break: opens the store in the directory given, does that many works one after the
 * other, and prints a line when it begins and for each work: `<n> done` or `<n> refused`, then `ready` or `not ready`.
 */
import { writeSync } from "node:fs";
import { openEmbeddedStore } from "../../../../src/store/lmdb/store.js";
import { event } from "../../../contract/samples.js";

const [directory = "", works = "1"] = process.argv.slice(2);

/** One write call a line, at once, so that a trace shows it where it belongs. */
function say(line: string): void {
  writeSync(1, `${line}\n`);
}

const store = await openEmbeddedStore({ directory, now: Date.now });
say("open");
for (let n = 0; n < Number(works); n++) {
  const id = `e${n}`;
  const outcome = await store.unitOfWork
    .run("shop", (tx) => tx.events.put(id, event(id)))
    .then(
      () => "done",
      (error: unknown) => `refused ${error instanceof Error ? error.name : ""}`,
    );
  say(`${n} ${outcome}`);
}
say(
  await store.ready().then(
    () => "ready",
    () => "not ready",
  ),
);
await store.close();
say("closed");
