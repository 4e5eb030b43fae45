/**
 * Files of the simulated disk, in place of `node:fs/promises`: what the store does with files of models. Names and bytes that
 * were not synced are lost when the power is cut, some of them.
 */
import { dirname } from "node:path";
import type { World } from "./world.js";

export const constants = { R_OK: 4, W_OK: 2, X_OK: 1 };

interface Node {
  readonly isDirectory: boolean;
  bytes: Buffer;
  synced: Buffer;
  readonly writtenAt: number;
}

export class Files {
  names = new Map<string, Node>();
  syncedNames = new Map<string, Node>();

  constructor(readonly world: World) {
    const root = { isDirectory: true, bytes: Buffer.alloc(0), synced: Buffer.alloc(0), writtenAt: 0 };
    for (const names of [this.names, this.syncedNames]) names.set("/", root).set("/store", root);
  }

  /** Of the changes that were not synced some have reached the disk. */
  cutPower(): void {
    const { world, names, syncedNames } = this;
    for (const path of new Set([...names.keys(), ...syncedNames.keys()])) {
      if (names.get(path) === syncedNames.get(path) || world.chance(0.5)) continue;
      place(names, path, syncedNames.get(path));
    }
    for (const path of [...names.keys()].sort()) if (!names.has(dirname(path))) names.delete(path);
    for (const node of names.values())
      if (node.bytes !== node.synced) node.bytes = node.synced = node.bytes.subarray(0, world.below(node.bytes.length));
    this.syncedNames = new Map(names);
  }
}

let disk: Files | undefined;

/** From now on the functions of this file work on these. */
export function useFiles(files: Files): void {
  disk = files;
}

function files(): Files {
  if (disk === undefined) throw new Error("There is no disk");
  return disk;
}

/** Each step takes time, in which its process may end. */
async function step(): Promise<Files> {
  const used = files();
  await used.world.pauseOfRunning(used.world.between(0.01, 0.3));
  return used;
}

function place(names: Map<string, Node>, path: string, node: Node | undefined): void {
  if (node === undefined) names.delete(path);
  else names.set(path, node);
}

function failed(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

async function found(path: string): Promise<Node> {
  const node = (await step()).names.get(path);
  if (node === undefined) throw failed("ENOENT", path);
  return node;
}

function create(path: string, isDirectory: boolean): Node {
  const { names, world } = files();
  if (names.has(path)) throw failed("EEXIST", path);
  if (!names.has(dirname(path))) throw failed("ENOENT", path);
  const node = { isDirectory, bytes: Buffer.alloc(0), synced: Buffer.alloc(0), writtenAt: world.systemTime };
  names.set(path, node);
  return node;
}

function below(names: ReadonlyMap<string, Node>, path: string): string[] {
  return [...names.keys()].filter((one) => one !== path && dirname(one) === path);
}

export async function access(path: string): Promise<void> {
  await found(path);
}

export async function mkdir(path: string): Promise<void> {
  await step();
  create(path, true);
}

export async function readdir(path: string): Promise<string[]> {
  await found(path);
  return below(files().names, path).map((one) => one.slice(path.length + 1));
}

export async function rename(from: string, to: string): Promise<void> {
  const node = await found(from);
  files().names.set(to, node);
  files().names.delete(from);
}

export async function rm(path: string, { force = false, recursive = false } = {}): Promise<void> {
  const { names } = await step();
  if (!names.has(path) && !force) throw failed("ENOENT", path);
  if (recursive) for (const one of [...names.keys()]) if (one.startsWith(`${path}/`)) names.delete(one);
  names.delete(path);
}

export async function rmdir(path: string): Promise<void> {
  await found(path);
  if (below(files().names, path).length > 0) throw failed("ENOTEMPTY", path);
  files().names.delete(path);
}

export async function stat(path: string) {
  const node = await found(path);
  return { isDirectory: () => node.isDirectory, mtimeMs: node.writtenAt, size: node.bytes.length };
}

export async function open(path: string, flags = "r") {
  const node = flags === "wx" ? await step().then(() => create(path, false)) : await found(path);
  return {
    stat: () => stat(path),
    close: async () => undefined,
    read: async (into: Buffer, offset: number, length: number, position: number) => {
      await step();
      return { bytesRead: node.bytes.copy(into, offset, position, position + length) };
    },
    writeFile: async (bytes: Uint8Array) => {
      await step();
      node.bytes = Buffer.from(bytes);
    },
    sync: async () => {
      const { names, syncedNames } = await step();
      node.synced = node.bytes;
      if (node.isDirectory)
        for (const one of [...below(names, path), ...below(syncedNames, path)]) place(syncedNames, one, names.get(one));
    },
  };
}

/** Of readers in other processes, which are not simulated. */
export async function mkdtemp(): Promise<never> {
  throw new Error("This is not simulated");
}
export const symlink = mkdtemp;
