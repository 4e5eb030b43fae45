import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Said } from "./generator.js";
import { pinnedTo } from "./pinning.js";
import type { LoadPlan, LoadReport } from "./plan.js";

/**
 * Runs a load in a process of its own, on the processor `cpu` where one is given and processes can be bound to one, so
 * that what is measured shares no thread with what measures.
 *
 *   const closed = await load({ url, bodies, connections: 64, seconds: 5 });
 *   const open = await load({ url, bodies, connections: 2000, rate: 3 * closed.okPerSecond, seconds: 60 });
 */
export function load(plan: LoadPlan, cpu?: number): Promise<LoadReport> {
  const [command = process.execPath, ...args] = pinnedTo(cpu, [
    process.execPath,
    "--import",
    "tsx",
    join(import.meta.dirname, "generator.ts"),
  ]);
  const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit", "ipc"], serialization: "advanced" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => reject(new Error(`the load process ended with ${signal ?? code}`)));
    child.once("message", (said: Said) =>
      "report" in said ? resolve(said.report) : reject(new Error(`the load failed: ${said.error}`)),
    );
    child.send(plan);
  });
}
