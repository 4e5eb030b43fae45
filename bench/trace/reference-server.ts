/**
 * The server that a durable /trace is measured against: node:http that reads a form, makes a random id, appends the event
 * to a log, and answers when a group commit has synced it. It lies beside the checkout (`shared/bench`, or the folder
 * that `AISLE_SHARED_BENCH` names), needs no packages, and is run as it is.
 */
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { startProgram } from "../server.js";

const FILE = join("servers", "node-http.mjs");

/** Where it is, or undefined. */
export function referenceServer(): string | undefined {
  const named = process.env.AISLE_SHARED_BENCH;
  if (named) return existsSync(join(named, FILE)) ? join(named, FILE) : undefined;
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const candidate = join(folder, "shared", "bench", FILE);
    if (existsSync(candidate)) return candidate;
    if (folder === dirname(folder)) return undefined;
  }
}

export interface MeasuredServer {
  readonly name: string;
  /** Where forms are posted. */
  readonly traceUrl: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts it on this processor; its log is written into `directory`. */
export async function startReference(file: string, directory: string, cpu: number): Promise<MeasuredServer> {
  const port = await freePort();
  const env = { MODE: "durable", PORT: String(port), DATA: directory };
  const { pid, stop } = await startProgram(cpu, [file], env);
  const name = "node:http + parse + uuid + fdatasync group commit";
  return { name, traceUrl: `http://127.0.0.1:${port}/trace`, pid, stop };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
