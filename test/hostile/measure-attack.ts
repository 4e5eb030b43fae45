/** What honest callers of a server see before, during and after an attack, each party in a process of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { setTimeout as pause } from "node:timers/promises";
import { processFigures } from "../../bench/process-figures.js";
import type { Target } from "./attack.js";
import type { Order } from "./attacker.js";
import type { HonestCall, HonestPlan, Seen } from "./honest-load.js";

const MIB = 1024 * 1024;
/** So long after an attack all is to be as it was, ms. */
const RECOVERY_MS = 5_000;
/** What is compiled and opened once is no attack's doing, ms. */
const WARM_MS = 4_000;

/** Calls of one kind in one phase. Times in ms; `busy` is time that the server's main thread ran (`honest-load.ts`). */
export interface Phase {
  readonly calls: number;
  /** By what came instead of an answer of 200. */
  readonly failed: Readonly<Record<string, number>>;
  readonly p99: number;
  readonly busy50: number;
  readonly busy99: number;
}

export interface Phases {
  readonly before: Phase;
  readonly during: Phase;
  /** From 5 s after the attack on. */
  readonly after: Phase;
}

export interface BesideAttack {
  readonly trace: Phases;
  readonly rpc: Phases;
  /** The server's own memory, MiB: before the attack, at most, and 5 s after it. */
  readonly memory: { readonly before: number; readonly most: number; readonly after: number };
  /** CPU of the server in a second, ms. */
  readonly cpu: { readonly before: number; readonly during: number; readonly after: number };
}

export async function besideAttack(
  pid: number,
  target: Target,
  attack: string,
  ms: { readonly before: number; readonly attack: number; readonly after: number },
): Promise<BesideAttack> {
  const honest = await start("honest-load.ts", { target, pid } satisfies HonestPlan);
  await pause(WARM_MS);
  const beginAt = Date.now();
  const begin = await processFigures(pid);
  await pause(ms.before);
  const before = await processFigures(pid);

  const attacker = await start("attacker.ts", { attack, target } satisfies Order);
  const attackAt = Date.now();
  const atAttack = await processFigures(pid);
  let most = atAttack.ownBytes;
  const watch = setInterval(async () => {
    most = Math.max(most, (await processFigures(pid)).ownBytes);
  }, 100);
  await pause(ms.attack);
  const during = await processFigures(pid);
  const attackedMs = Date.now() - attackAt;
  attacker.child.stdin?.end();
  await once(attacker.child, "exit");
  const endAt = Date.now();
  await pause(RECOVERY_MS);
  const recovered = await processFigures(pid);
  await pause(ms.after);
  const after = await processFigures(pid);
  clearInterval(watch);

  honest.child.stdin?.end();
  const seen: readonly Seen[] = JSON.parse(await honest.nextLine());
  const phases = (kind: HonestCall): Phases => ({
    before: phaseOf(seen, kind, beginAt, beginAt + ms.before),
    during: phaseOf(seen, kind, attackAt, endAt),
    after: phaseOf(seen, kind, endAt + RECOVERY_MS, Number.POSITIVE_INFINITY),
  });
  return {
    trace: phases("trace"),
    rpc: phases("rpc"),
    memory: { before: before.ownBytes / MIB, most: most / MIB, after: recovered.ownBytes / MIB },
    cpu: {
      before: ((before.cpuMs - begin.cpuMs) * 1000) / ms.before,
      during: ((during.cpuMs - atAttack.cpuMs) * 1000) / attackedMs,
      after: ((after.cpuMs - recovered.cpuMs) * 1000) / ms.after,
    },
  };
}

/** Resolves when the process has said that it begins. */
async function start(
  file: string,
  order: HonestPlan | Order,
): Promise<{ child: ChildProcess; nextLine(): Promise<string> }> {
  const args = ["--import", "tsx", join(import.meta.dirname, file), JSON.stringify(order)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value);
  await nextLine();
  return { child, nextLine };
}

function phaseOf(seen: readonly Seen[], kind: HonestCall, from: number, to: number): Phase {
  const calls = seen.filter(([of, at]) => of === kind && at >= from && at < to);
  const failed: Record<string, number> = {};
  for (const [, , , outcome] of calls) if (outcome !== "200") failed[outcome] = (failed[outcome] ?? 0) + 1;
  const ms = calls.map(([, , took]) => took);
  const busy = calls.map(([, , , , ran]) => ran);
  return {
    calls: calls.length,
    failed,
    p99: quantile(ms, 0.99),
    busy50: quantile(busy, 0.5),
    busy99: quantile(busy, 0.99),
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
