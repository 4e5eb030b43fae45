/**
 * The server that a durable /trace is measured against: node:http that reads a form, makes a random id, appends the event
 * to a log, and answers when a group commit has synced it. It lies beside the checkout (`shared/bench`, or the folder
 * that `AISLE_SHARED_BENCH` names), needs no packages, and is run as it is.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { pinnedTo } from "../open-loop/pinning.js";

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
  const [command = process.execPath, ...args] = pinnedTo(cpu, [process.execPath, file]);
  const env = { ...process.env, MODE: "durable", PORT: String(port), DATA: directory };
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.stdout.once("data", () => resolve());
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the reference server ended with ${code}`)));
  });
  return {
    name: "node:http + parse + uuid + fdatasync group commit",
    traceUrl: `http://127.0.0.1:${port}/trace`,
    pid: child.pid ?? 0,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
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
