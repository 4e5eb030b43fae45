/** A server as operators run it, in a process of its own, for benchmarks. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { childrenOf } from "../test/fixtures/child-processes.js";
import { pinnedTo } from "./open-loop/pinning.js";

/** Of this build. */
export const BIN = join(import.meta.dirname, "../bin/aisle.js");

export interface BenchServer {
  /** "" when its role has no such port. */
  readonly facadeUrl: string;
  /** "" when its role has no such port. */
  readonly rpcUrl: string;
  /** Of the process that does the work. */
  readonly pid: number;
  stop(): Promise<void>;
  /** Ends it by SIGKILL, when it has not ended yet. */
  kill(): Promise<void>;
}

/** Starts `aisle serve` on free ports over a store in `directory`, and resolves when it is ready. */
export function startServer(directory: string, ...flags: string[]): Promise<BenchServer> {
  return startServerOn(`embedded:${directory}`, ...flags);
}

/** The same over the store of this address. */
export function startServerOn(store: string, ...flags: string[]): Promise<BenchServer> {
  return startPinnedServer(undefined, store, ...flags);
}

/** The same on one processor, where processes can be bound to one. */
export function startPinnedServer(cpu: number | undefined, store: string, ...flags: string[]): Promise<BenchServer> {
  return startBuild(BIN, cpu, store, ...flags);
}

/** The same of another build: `bin` is its `bin/aisle.js`. */
export function startBuild(
  bin: string,
  cpu: number | undefined,
  store: string,
  ...flags: string[]
): Promise<BenchServer> {
  const args = ["serve", "--store", store, "--facade-port", "0", "--rpc-port", "0", "--train-every", "off"];
  const [command = process.execPath, ...rest] = pinnedTo(cpu, [process.execPath, bin, ...args, ...flags]);
  const child = spawn(command, rest, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return new Promise((resolve, reject) => {
    let said = "";
    child.once("exit", (code) => reject(new Error(`aisle serve ended with ${code}`)));
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const ready = /^aisle is ready: (.+)$/m.exec(said)?.[1];
      if (ready === undefined) return;
      const urlAfter = (words: string) => new RegExp(`${words} at ([^\\s,]+)`).exec(ready)?.[1] ?? "";
      resolve({
        facadeUrl: urlAfter("storefronts"),
        rpcUrl: urlAfter("RPC"),
        pid: childrenOf(child.pid)[0] ?? child.pid ?? 0,
        async stop() {
          child.kill("SIGTERM");
          await ended;
        },
        async kill() {
          child.kill("SIGKILL");
          await ended;
        },
      });
    });
  });
}

export interface Program {
  /** What it said first. */
  readonly said: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts a program of the benchmarks in a process of its own, TypeScript too, and resolves with what it says first. */
export async function startProgram(cpu: number | undefined, args: readonly string[], env = {}): Promise<Program> {
  const loader = args[0]?.endsWith(".ts") ? ["--import", "tsx"] : [];
  const [command = process.execPath, ...rest] = pinnedTo(cpu, [process.execPath, ...loader, ...args]);
  const child = spawn(command, rest, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const said = await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${args.join(" ")} ended with ${code}`)));
    child.stdout.once("data", (said: Buffer) => resolve(said.toString().trim()));
  });
  return {
    said,
    pid: child.pid ?? 0,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Runs one command against the server, shows what it says, and resolves with how long it took, ms. */
export const aisle = aisleOf(BIN);

/** The same with the commands of another build: `bin` is its `bin/aisle.js`. */
export function aisleOf(bin: string) {
  return (server: BenchServer, ...args: string[]): Promise<number> => {
    const started = performance.now();
    const child = spawn(process.execPath, [bin, ...args, "--server", server.rpcUrl], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code) =>
        code === 0
          ? resolve(performance.now() - started)
          : reject(new Error(`aisle ${args.join(" ")} ended with ${code}`)),
      );
    });
  };
}
