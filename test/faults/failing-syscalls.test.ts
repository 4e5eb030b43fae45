import { spawn, spawnSync } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { openEmbeddedStore } from "../../src/store/lmdb/store.js";
import { event } from "../contract/samples.js";
import { makeDirectory } from "../store/lmdb/open-embedded.js";
import { recordFault } from "./report.js";

const WRITE = fileURLToPath(new URL("../store/lmdb/children/write.ts", import.meta.url));

/** Whether system calls can be watched here: strace is there and may trace. */
const traces = (...options: string[]) =>
  spawnSync("strace", ["-f", ...options, "-o", "/dev/null", "true"]).status === 0;
const canTrace = traces();

/** Stops a process only at the calls that are watched, where strace knows how: faster by a fifth. Kills nothing. */
const STRACE = ["strace", "-f", ...(traces("--seccomp-bpf") ? ["--seccomp-bpf"] : [])];

const title = "system calls (needs strace; an error under CI)";

describe.skipIf(!canTrace && process.env.CI !== "true")(title, { concurrent: true, timeout: 120_000 }, () => {
  /** Runs a test in a store's directory of its own. */
  const inStore = (test: (directory: string) => Promise<void>) => async () => {
    const directory = await makeDirectory();
    try {
      const store = await openEmbeddedStore({ directory, now: Date.now });
      await store.close(); // from here on the process only writes works
      await test(directory);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  };

  /** Runs the writing process under `command`; its lines and how it ended. */
  function runWriter(
    command: readonly string[],
    directory: string,
    works: number,
  ): Promise<{ readonly lines: string[]; readonly code: number | null }> {
    const [program = "", ...args] = [...command, process.execPath, "--import", "tsx", WRITE, directory, String(works)];
    return new Promise((resolve, reject) => {
      const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"], timeout: 60_000 });
      let output = "";
      child.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
      child.on("error", reject);
      child.on("close", (code) => resolve({ lines: output.trim().split("\n"), code }));
    });
  }

  async function storedIds(directory: string): Promise<string[]> {
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

  const shows = "shows that data and root are on disk before a work resolves";
  it(
    shows,
    inStore(async (directory) => {
      const trace = join(directory, "trace.txt");
      const calls = "openat,pwrite64,pwritev,writev,fdatasync,fsync,msync,write";
      // Slow returns make room for a work that would resolve without waiting for them.
      const slow = ["-e", "inject=fdatasync:delay_exit=20000", "-e", "inject=pwrite64:delay_exit=5000"];
      const watch = [...STRACE, "-y", "-s", "64", "-e", `trace=${calls}`, ...slow, "-o", trace];
      const { lines, code } = await runWriter(watch, directory, 10);
      expect(code).toBe(0);
      expect(lines.filter((line) => line.endsWith(" done"))).toHaveLength(10);
      const seen = readTrace(await readFile(trace, "utf8"));
      expect(seen.map((one) => one.work)).toEqual(Array.from({ length: 10 }, (_, n) => n));
      for (const one of seen) {
        expect(one, `work ${one.work}`).toMatchObject({ dataUnsynced: false, rootUnsynced: false });
        expect(one.syncs, `work ${one.work}`).toBeGreaterThan(0);
        expect(one.rootWrites, `work ${one.work}`).toBeGreaterThan(0);
      }
    }),
  );

  // Threads take turns with the transactions and strace counts calls thread by thread.
  const faults = [
    ["a sync fails", "fdatasync:error=EIO:when=2"],
    ["the disk is full", "pwrite64:error=ENOSPC:when=3"],
    ["a write is cut short", "pwrite64:retval=100:when=3"],
    ["a write fails", "writev:error=EIO:when=2"],
    ["the write of the root fails", "pwrite64:error=EIO:when=2"],
  ] as const;

  const sums = { rounds: 0, acknowledged: 0, refused: 0 };
  afterAll(() => {
    const { refused, ...counts } = sums;
    if (sums.rounds < faults.length) return; // not all were run, or one failed
    const seen = `then all ${refused} works refused, not ready`;
    recordFault("failing-calls", "embedded", { ...counts, lost: 0, duplicated: 0, wrong: 0, seen });
  });
  for (const [fault, inject] of faults) {
    it(
      `refuses all works after ${fault}, and keeps every acknowledged work`,
      inStore(async (directory) => {
        const data = join(directory, "data.mdb");
        const calls = "trace=fdatasync,pwrite64,pwritev,writev";
        const watch = [...STRACE, "-P", data, "-e", calls, "-e", `inject=${inject}`, "-o", "/dev/null"];
        const { lines, code } = await runWriter(watch, directory, 30);
        expect(code).toBe(0);
        const works = lines.filter((line) => /^\d+ /.test(line));
        const confirmed = works.filter((line) => line.endsWith(" done")).length;
        expect(confirmed).toBeLessThan(30);
        const refused = works.slice(confirmed);
        expect(refused).toEqual(refused.map((_, n) => `${confirmed + n} refused Unavailable`));
        expect(lines.slice(-2)).toEqual(["not ready", "closed"]);
        const stored = new Set(await storedIds(directory));
        for (let n = 0; n < confirmed; n++) expect(stored.has(`e${n}`), `work ${n}`).toBe(true);
        for (let n = confirmed + 1; n < 30; n++) expect(stored.has(`e${n}`), `work ${n}`).toBe(false);
        sums.rounds++;
        sums.acknowledged += confirmed;
        sums.refused += refused.length;
      }),
    );
  }

  for (const when of [7, 40]) {
    it(
      `loses no acknowledged work when a process is killed at write ${when}`,
      inStore(async (directory) => {
        const data = join(directory, "data.mdb");
        const kill = ["-e", "trace=pwrite64", "-e", `inject=pwrite64:signal=KILL:when=${when}`];
        const { lines } = await runWriter(["strace", "-f", "-P", data, ...kill, "-o", "/dev/null"], directory, 300);
        const confirmed = lines.filter((line) => line.endsWith(" done"));
        expect(confirmed.length).toBeGreaterThan(0);
        expect(lines).not.toContain("closed");
        const stored = new Set(await storedIds(directory));
        for (const line of confirmed) expect(stored.has(`e${line.split(" ")[0]}`), line).toBe(true);
      }),
    );
  }
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
