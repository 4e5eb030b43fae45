/**
 * Limits that the system sets for this process, and the needs of a server. Loaded before everything else, and imports
 * nothing of ours: with few open files Node cannot even load the other modules, and ends with a stack.
 */
import { readFileSync } from "node:fs";
import { getHeapStatistics } from "node:v8";

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** Infinity when there is no limit, or the system does not show it. */
export interface MachineLimits {
  readonly heapBytes: number;
  readonly openFiles: number;
  readonly addressBytes: number;
  /** True when an option keeps Node from reserving address space around WebAssembly memory. */
  readonly hasPlainWasm: boolean;
}

/** Waiting events, bodies and calls take up to 160 MiB together; an idle server takes 40. */
const MIN_HEAP_BYTES = 256 * MIB;
/** Loading the modules of a command takes up to 90, those of a server up to 120. */
const COMMAND_OPEN_FILES = 128;
const MIN_OPEN_FILES = 256;
/** Kept for the store, models, feeds, hooks, logs and trainings; an idle server has 30 open. */
const OWN_FILES = 128;
/** V8 reserves 10 GiB around each WebAssembly memory, without using it: one for serving, two more for each training. */
const MIN_ADDRESS_BYTES = 40 * GIB;
const MIN_PLAIN_ADDRESS_BYTES = 8 * GIB;
const PLAIN_WASM = "--disable-wasm-trap-handler";

export function readMachineLimits(): MachineLimits {
  const ofProcess = limitsOfProcess();
  const options = nodeOptions();
  return {
    heapBytes: oldSpaceBytes(options) ?? getHeapStatistics().heap_size_limit,
    openFiles: numberIn(ofProcess, "Max open files"),
    addressBytes: numberIn(ofProcess, "Max address space"),
    hasPlainWasm: options.includes(PLAIN_WASM),
  };
}

/** The operator's options for Node, in order of precedence, lowest first. */
export function nodeOptions(): string[] {
  return [...(process.env.NODE_OPTIONS ?? "").split(/\s+/), ...process.execArgv];
}

/** The size of V8's old space that the options set. V8's own figure adds the young space: 48 MiB in Node 20, 192 in Node 24. */
function oldSpaceBytes(options: readonly string[]): number | undefined {
  const sizes = [...options.join(" ").matchAll(/--max[-_]old[-_]space[-_]size[= ](\d+)/g)];
  const size = Number(sizes.at(-1)?.[1] ?? 0); // 0 is V8's default
  return size > 0 ? size * MIB : undefined;
}

/** Why the command cannot run within the limits, and what it needs, in one line; undefined when it can. */
export function limitsRefusal(command: string | undefined, limits: MachineLimits): string | undefined {
  if (command === "serve") return serverRefusal(limits);
  if (limits.openFiles >= COMMAND_OPEN_FILES) return undefined;
  return `open files are limited to ${limits.openFiles}; ${COMMAND_OPEN_FILES} are needed: raise "ulimit -n"`;
}

function serverRefusal({ heapBytes, openFiles, addressBytes, hasPlainWasm }: MachineLimits): string | undefined {
  if (heapBytes < MIN_HEAP_BYTES) {
    const needed = MIN_HEAP_BYTES / MIB;
    return `Node's heap is limited to ${whole(heapBytes, MIB)} MiB; a server needs ${needed}: set NODE_OPTIONS=--max-old-space-size=${needed} or more, or give it more memory`;
  }
  if (openFiles < MIN_OPEN_FILES)
    return `open files are limited to ${openFiles}; a server needs ${MIN_OPEN_FILES}: raise "ulimit -n" or LimitNOFILE`;
  const needed = hasPlainWasm ? MIN_PLAIN_ADDRESS_BYTES : MIN_ADDRESS_BYTES;
  if (addressBytes >= needed) return undefined;
  const way = hasPlainWasm ? "" : `, or set NODE_OPTIONS=${PLAIN_WASM}, which needs ${MIN_PLAIN_ADDRESS_BYTES / GIB}`;
  return `address space is limited to ${whole(addressBytes, GIB)} GiB; a server reserves up to ${needed / GIB}, and uses little of it: lift "ulimit -v"${way}`;
}

/** Maximum connections by port. */
export interface Connections {
  readonly rest: number;
  readonly rpc: number;
}

/** Connections that fit beside the files of the server itself: the same share of `most` for each port. */
export function connectionsWithin(openFiles: number, most: Connections, warn: (line: string) => void): Connections {
  const needed = most.rest + most.rpc + OWN_FILES;
  if (openFiles >= needed) return most;
  const share = (openFiles - OWN_FILES) / (most.rest + most.rpc);
  const part = (of: number) => Math.max(1, Math.floor(of * share));
  const [rest, rpc] = [part(most.rest), part(most.rpc)];
  warn(
    `open files are limited to ${openFiles}: ${rest} connections for the REST port and ${rpc} for the RPC port; ` +
      `for ${most.rest} and ${most.rpc} raise "ulimit -n" or LimitNOFILE to ${needed}`,
  );
  return { rest, rpc };
}

/** "" when the system does not show them here. */
function limitsOfProcess(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return ""; // not Linux: the limits count as none
  }
}

function numberIn(text: string, name: string): number {
  const soft = new RegExp(`^${name} +(\\d+) `, "m").exec(text)?.[1];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}

function whole(bytes: number, unit: number): number {
  return Math.floor(bytes / unit);
}
