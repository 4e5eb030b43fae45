import { spawnSync } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEmbeddedStore } from "../../../src/adapters/embedded/store.js";
import { event } from "../../contract/samples.js";
import { makeDirectory } from "./open-embedded.js";

const WRITE = fileURLToPath(new URL("./children/write.ts", import.meta.url));

/** Whether system calls can be watched here: strace is there and may trace. */
const canTrace = spawnSync("strace", ["-f", "-o", "/dev/null", "true"]).status === 0;

describe.skipIf(!canTrace && process.env.CI !== "true")("system calls (needs strace; an error under CI)", () => {
  let directory: string;

  beforeEach(async () => {
    directory = await makeDirectory();
    const store = await openEmbeddedStore({ directory, now: Date.now });
    await store.close(); // from here on the process only writes works
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  /** Runs the writing process under `command`; its lines. */
  function runWriter(command: readonly string[], works: number): string[] {
    const [program = "", ...args] = [...command, process.execPath, "--import", "tsx", WRITE, directory, String(works)];
    const ran = spawnSync(program, args, { encoding: "utf8", timeout: 60_000 });
    expect(ran.error).toBeUndefined();
    expect(ran.status).toBe(0);
    return ran.stdout.trim().split("\n");
  }

  async function storedIds(): Promise<string[]> {
    const store = await openEmbeddedStore({ directory, now: Date.now });
    try {
      await store.ready();
      await store.unitOfWork.run("shop", (tx) => tx.events.put("after", event("after")));
      const events = await store.events.list("shop", "", 1000, false);
      return events.map((one) => one.eventId).filter((id) => id !== "after");
    } finally {
      await store.close();
    }
  }

  it("shows that data and root are on disk before a work resolves", async () => {
    const trace = join(directory, "trace.txt");
    const calls = "openat,pwrite64,pwritev,writev,fdatasync,fsync,msync,write";
    // Slow returns make room for a work that would resolve without waiting for them.
    const slow = ["-e", "inject=fdatasync:delay_exit=20000", "-e", "inject=pwrite64:delay_exit=5000"];
    const watch = ["strace", "-f", "-y", "-s", "64", "-e", `trace=${calls}`, ...slow, "-o", trace];
    const lines = runWriter(watch, 10);
    expect(lines.filter((line) => line.endsWith(" done"))).toHaveLength(10);
    const seen = readTrace(await readFile(trace, "utf8"));
    expect(seen.map((one) => one.work)).toEqual(Array.from({ length: 10 }, (_, n) => n));
    for (const one of seen) {
      expect(one, `work ${one.work}`).toMatchObject({ dataUnsynced: false, rootUnsynced: false });
      expect(one.syncs, `work ${one.work}`).toBeGreaterThan(0);
      expect(one.rootWrites, `work ${one.work}`).toBeGreaterThan(0);
    }
  });

  // Threads take turns with the transactions and strace counts calls thread by thread.
  const faults = [
    ["a sync fails", "fdatasync:error=EIO:when=2"],
    ["the disk is full", "pwrite64:error=ENOSPC:when=3"],
    ["a write is cut short", "pwrite64:retval=100:when=3"],
    ["a write fails", "writev:error=EIO:when=2"],
    ["the write of the root fails", "pwrite64:error=EIO:when=2"],
  ] as const;

  it.each(faults)("refuses all works once %s, and has every work it confirmed", async (_, inject) => {
    const data = join(directory, "data.mdb");
    const calls = "trace=fdatasync,pwrite64,pwritev,writev";
    const lines = runWriter(["strace", "-f", "-P", data, "-e", calls, "-e", `inject=${inject}`, "-o", "/dev/null"], 30);
    const works = lines.filter((line) => /^\d+ /.test(line));
    const confirmed = works.filter((line) => line.endsWith(" done")).length;
    expect(confirmed).toBeLessThan(30);
    const refused = works.slice(confirmed);
    expect(refused).toEqual(refused.map((_, n) => `${confirmed + n} refused Unavailable`));
    expect(lines.slice(-2)).toEqual(["not ready", "closed"]);
    const stored = new Set(await storedIds());
    for (let n = 0; n < confirmed; n++) expect(stored.has(`e${n}`), `work ${n}`).toBe(true);
    for (let n = confirmed + 1; n < 30; n++) expect(stored.has(`e${n}`), `work ${n}`).toBe(false);
  });

  it("shows that a killed process loses no work it confirmed", async () => {
    for (const when of [7, 40]) {
      const args = ["-f", "-P", join(directory, "data.mdb"), "-e", "trace=pwrite64", "-o", "/dev/null"];
      const ran = spawnSync(
        "strace",
        [
          ...args,
          "-e",
          `inject=pwrite64:signal=KILL:when=${when}`,
          process.execPath,
          "--import",
          "tsx",
          WRITE,
          directory,
          "300",
        ],
        { encoding: "utf8", timeout: 60_000 },
      );
      const confirmed = ran.stdout.split("\n").filter((line) => line.endsWith(" done"));
      expect(confirmed.length).toBeGreaterThan(0);
      expect(ran.stdout).not.toContain("closed");
      const stored = new Set(await storedIds());
      for (const line of confirmed) expect(stored.has(`e${line.split(" ")[0]}`), line).toBe(true);
    }
  });
});

interface TracedWork {
  readonly work: number;
  /** Pages written after the last finished sync. */
  readonly dataUnsynced: boolean;
  /** The root page's write, through a descriptor opened with O_DSYNC, had not returned. */
  readonly rootUnsynced: boolean;
  readonly syncs: number;
  readonly rootWrites: number;
}

/** What had happened to the data file when the process said that a work was done. */
function readTrace(trace: string): TracedWork[] {
  const works: TracedWork[] = [];
  const unfinished = new Map<string, "sync" | "root" | "data">();
  let rootDescriptor = "none";
  let dataUnsynced = false;
  let syncs = 0;
  let rootWrites = 0;
  for (const line of trace.split("\n")) {
    const pid = line.split(" ")[0] ?? "";
    const opened = /openat\(.*data\.mdb", O_WRONLY\|O_DSYNC.* = (\d+)/.exec(line);
    if (opened?.[1] !== undefined) rootDescriptor = opened[1];
    const call = /^\d+ +(\w+)\((\d+)<[^>]*data\.mdb>/.exec(line);
    if (call !== null) {
      const kind = call[1] === "fdatasync" ? "sync" : call[2] === rootDescriptor ? "root" : "data";
      if (kind === "data") dataUnsynced = true;
      if (line.includes("<unfinished")) unfinished.set(pid, kind);
      else if (kind === "sync") [dataUnsynced, syncs] = [false, syncs + 1];
      else if (kind === "root") rootWrites++;
    } else if (line.includes(" resumed>") && unfinished.has(pid)) {
      const kind = unfinished.get(pid);
      unfinished.delete(pid);
      if (kind === "sync") [dataUnsynced, syncs] = [false, syncs + 1];
      else if (kind === "root") rootWrites++;
    }
    const done = /write\(1<[^>]*>, "(\d+) done/.exec(line);
    if (done !== null) {
      const rootUnsynced = [...unfinished.values()].includes("root");
      works.push({ work: Number(done[1]), dataUnsynced, rootUnsynced, syncs, rootWrites });
      [syncs, rootWrites] = [0, 0];
    }
  }
  return works;
}
