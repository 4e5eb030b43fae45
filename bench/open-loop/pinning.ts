import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

/** The command, bound to this processor (0 is the first) where the machine has it and `taskset`; else as it is. */
export function pinnedTo(cpu: number | undefined, command: readonly string[]): readonly string[] {
  if (cpu === undefined || cpu >= availableParallelism()) return command;
  const pin = ["taskset", "-c", String(cpu)];
  return spawnSync(pin[0]!, [...pin.slice(1), "true"]).status === 0 ? [...pin, ...command] : command;
}
