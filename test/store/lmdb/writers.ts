import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Store } from "../../../src/store/ports/store.js";

const CHILD = fileURLToPath(new URL("./children/open-and-write.ts", import.meta.url));

/** A process that opens the store, writes and closes it, over and over. */
export interface WritingProcess {
  /** Of the events that were acknowledged. */
  ids(): string[];
  /** Resolves when so many were, or it has ended. */
  written(count: number): Promise<void>;
  /** Has it end, and resolves with its exit code. */
  end(): Promise<unknown>;
}

/**
 * Starts one for each prefix, which the ids of its events begin with; resolves when all have begun. None outlives the test.
 */
export async function startWriters(directory: string, prefixes: readonly string[]): Promise<WritingProcess[]> {
  const started = prefixes.map((prefix) => {
    const child = spawn(process.execPath, ["--import", "tsx", CHILD, directory, prefix], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let text = "";
    const ids = () => text.split("\n").filter((line) => line.includes("-"));
    const ended = once(child, "exit").then(([code]: unknown[]) => code);
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    const written = async (count: number) => {
      const enough = new Promise<void>((resolve) => {
        const look = () => {
          if (ids().length >= count) resolve();
        };
        child.stdout.on("data", look);
        look();
      });
      await Promise.race([enough, ended]);
    };
    const end = () => {
      child.stdin.end();
      return ended;
    };
    return { begun: once(child.stdout, "data"), ids, written, end };
  });
  await Promise.all(started.map(({ begun }) => begun));
  return started;
}

/** Of all events of the shop. */
export async function eventIdsOf(store: Store): Promise<Set<string>> {
  const found = new Set<string>();
  for (let after = ""; ; ) {
    const page = await store.events.list("shop", after, 1000, false);
    for (const { eventId } of page) found.add(eventId);
    if (page.length < 1000) return found;
    after = page.at(-1)?.eventId ?? "";
  }
}
