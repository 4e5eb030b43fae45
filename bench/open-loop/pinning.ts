import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

/**
 * Servers that are measured have the second processor and the load the first: what the system does for itself it mostly
 * does on the first one. A virtual machine of two, both kept busy, lost .9 % of the first in pieces of 1 to 8 ms, .1 % of the second.
 */
export const SERVER_CPU = 1;
export const LOAD_CPU = 0;

/** The command, bound to this processor (0 is the first) where the machine has it and `taskset`; else as it is. */
export function pinnedTo(cpu: number | undefined, command: readonly string[]): readonly string[] {
  if (cpu === undefined || cpu >= availableParallelism()) return command;
  const pin = ["taskset", "-c", String(cpu)];
  return spawnSync(pin[0]!, [...pin.slice(1), "true"]).status === 0 ? [...pin, ...command] : command;
}

/** Binds this process, with all its threads, to a processor where there are several and `taskset`. */
export function pinThisProcess(cpu: number): void {
  if (cpu < availableParallelism()) spawnSync("taskset", ["-a", "-p", "-c", String(cpu), String(process.pid)]);
}
