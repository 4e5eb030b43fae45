import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { event } from "../../contract/samples.js";
import { makeDirectory } from "./open-embedded.js";

const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** Has the file of the locks as another user of the store has it, until its standard input ends. */
const HOLD = `
import fcntl, os, struct, sys
file = open(sys.argv[1], "r+b")
fcntl.fcntl(file, fcntl.F_SETLK, struct.pack("hhqqi", fcntl.F_RDLCK, os.SEEK_SET, 0, 1, 0))
print("held", flush=True)
sys.stdin.read()
`;

describe.skipIf(!hasPython)(
  `a store that its last user closes at the moment it is opened${hasPython ? "" : " (needs python3)"}`,
  () => {
    it("is opened with all its records", async () => {
      const directory = await makeDirectory();
      onTestFinished(() => rm(directory, { recursive: true, force: true }));
      const first = await openEmbeddedStore({ directory, now: Date.now });
      await first.unitOfWork.run("shop", (tx) => tx.events.put("e1", event("e1")));
      await first.close(); // the locks are destroyed now
      const holder = spawn("python3", ["-c", HOLD, join(directory, "lock.mdb")], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      onTestFinished(() => void holder.kill("SIGKILL"));
      await once(holder.stdout, "data");
      const opening = openEmbeddedStore({ directory, now: Date.now });
      await pause(50);
      holder.stdin.end();
      const again = await opening;
      onTestFinished(() => again.close());
      await again.unitOfWork.run("shop", (tx) => tx.events.put("e2", event("e2")));
      expect((await again.events.list("shop", "", 10, false)).map(({ eventId }) => eventId)).toEqual(["e1", "e2"]);
    });
  },
);
