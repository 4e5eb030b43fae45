import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** A change of the disk, as `disk-shim.c` noted it. */
interface Change {
  readonly op: "W" | "S" | "R" | "U" | "T" | "C" | "M";
  readonly synced: boolean;
  readonly inode: bigint;
  /** Of a write: where; of a truncate: the new length; of a sync: the length of the journal when it began. */
  readonly at: number;
  readonly path: string;
  readonly bytes: Buffer;
  /** Where its record ends in the journal. */
  readonly end: number;
}

const HEAD_BYTES = 24;
const SECTOR = 512;
const OPS = ["W", "S", "R", "U", "T", "C", "M"] as const;

function readJournal(journal: Buffer): Change[] {
  const changes: Change[] = [];
  for (let at = 0; at + HEAD_BYTES <= journal.length; ) {
    const path = journal.subarray(at + HEAD_BYTES, at + HEAD_BYTES + journal.readUInt16LE(at + 2));
    const from = at + HEAD_BYTES + path.length;
    const end = from + journal.readUInt32LE(at + 4);
    const op = OPS.find((one) => one.charCodeAt(0) === journal[at]);
    if (op === undefined || end > journal.length) break; // the process was killed while it noted this one
    changes.push({
      op,
      synced: journal[at + 1] === 1,
      inode: journal.readBigUInt64LE(at + 8),
      at: Number(journal.readBigUInt64LE(at + 16)),
      path: path.toString(),
      bytes: journal.subarray(from, end),
      end,
    });
    at = end;
  }
  return changes;
}

/** A file: what is on the disk for certain, and what was changed since and may be lost, all of it or some. */
interface CutFile {
  durable: Buffer;
  pending: Change[];
}

/** Names, with the inodes of files; undefined for a directory. */
type Names = Map<string, bigint | undefined>;

/** A name that came, went or moved, with all below it, and whose directory was not synced since. */
interface NameChange {
  readonly path: string;
  readonly end: number;
  readonly to: { readonly name: string } | { readonly inode: bigint | undefined } | undefined;
}

/**
 * A directory as power cuts leave it, put together from what a process did to it. Kept for certain is of a file what was
 * written before a sync of it began that has ended, or through a descriptor that syncs by itself; of a name, what was
 * done before such a sync of its directory. All else may be gone.
 */
export class CutDisk {
  private readonly changes: readonly Change[];
  private readonly files = new Map<bigint, CutFile>();
  /** Names for certain. */
  private readonly names: Names = new Map();
  private pendingNames: NameChange[] = [];
  private done = 0;

  /** `before`: the directory before the journal began. */
  constructor(
    private readonly directory: string,
    before: KeptDirectory,
    journal: string,
  ) {
    this.changes = readJournal(readFileSync(journal));
    for (const { path, inode, content } of before) {
      if (inode !== undefined) this.files.set(inode, { durable: content, pending: [] });
      this.names.set(path, inode);
    }
  }

  /** Places in the journal after which the power may be cut. */
  get ends(): number[] {
    return this.changes.map(({ end }) => end);
  }

  /** Goes on to this place in the journal, which must not be before the last one. */
  advance(end: number): void {
    for (; this.done < this.changes.length && this.changes[this.done]!.end <= end; this.done++) {
      this.apply(this.changes[this.done]!);
    }
  }

  /** Writes the directory as it is found after the cut; of what was not synced each sector stays when `stays` says so. */
  writeTo(target: string, stays: () => boolean): void {
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    const names = new Map(this.names);
    // Journals of file systems keep the order of names: what is lost is what came last.
    for (const change of this.pendingNames) {
      if (!stays()) break;
      applyTo(names, change);
    }
    for (const [path, inode] of names) {
      const at = join(target, relative(this.directory, path));
      if (inode === undefined) mkdirSync(at, { recursive: true });
      else {
        mkdirSync(dirname(at), { recursive: true });
        writeFileSync(at, this.contentOf(this.fileOf(inode), stays));
      }
    }
  }

  private contentOf({ durable, pending }: CutFile, stays: () => boolean): Buffer {
    let content: Buffer = Buffer.from(durable);
    for (const change of pending) {
      if (change.op === "T") {
        if (stays()) content = resized(content, change.at);
        continue;
      }
      for (let from = 0; from < change.bytes.length; from += SECTOR) {
        if (stays()) content = written(content, change.at + from, change.bytes.subarray(from, from + SECTOR));
      }
    }
    return content;
  }

  private fileOf(inode: bigint): CutFile {
    const file = this.files.get(inode) ?? { durable: Buffer.alloc(0), pending: [] };
    this.files.set(inode, file);
    return file;
  }

  private apply(change: Change): void {
    const { op, inode, path, bytes, end } = change;
    if (op === "W" && change.synced) {
      const file = this.fileOf(inode);
      file.durable = written(file.durable, change.at, bytes);
    } else if (op === "W" || op === "T") this.fileOf(inode).pending.push(change);
    else if (op === "C") {
      this.files.set(inode, { durable: Buffer.alloc(0), pending: [] }); // a number may be given again
      this.pendingNames.push({ path, end, to: { inode } });
    } else if (op === "M") this.pendingNames.push({ path, end, to: { inode: undefined } });
    else if (op === "U") this.pendingNames.push({ path, end, to: undefined });
    else if (op === "R") this.pendingNames.push({ path, end, to: { name: bytes.toString() } });
    else this.sync(change);
  }

  private sync({ inode, path, at }: Change): void {
    const file = this.files.get(inode);
    if (file !== undefined) {
      for (const one of file.pending) {
        if (one.end > at) continue;
        file.durable = one.op === "T" ? resized(file.durable, one.at) : written(file.durable, one.at, one.bytes);
      }
      file.pending = file.pending.filter((one) => one.end > at);
    }
    const kept: NameChange[] = [];
    for (const one of this.pendingNames) {
      if (dirname(one.path) === path && one.end <= at) {
        applyTo(this.names, one);
        // What was done below it before it moved, and is not for certain yet, is below its new name.
        if (one.to !== undefined && "name" in one.to) {
          for (const [n, earlier] of kept.entries())
            kept[n] = { ...earlier, path: moved(earlier.path, one.path, one.to.name) };
        }
      } else kept.push(one);
    }
    this.pendingNames = kept;
  }
}

function applyTo(names: Names, { path, to }: NameChange): void {
  if (to === undefined) names.delete(path);
  else if ("inode" in to) names.set(path, to.inode);
  else {
    for (const [name, inode] of [...names]) {
      const its = moved(name, path, to.name);
      if (its === name) continue;
      names.delete(name);
      names.set(its, inode);
    }
  }
}

/** The path after `from` was renamed. */
function moved(path: string, from: string, to: string): string {
  return path === from || path.startsWith(`${from}/`) ? to + path.slice(from.length) : path;
}

function resized(content: Buffer, length: number): Buffer {
  return length <= content.length
    ? content.subarray(0, length)
    : Buffer.concat([content, Buffer.alloc(length - content.length)]);
}

function written(content: Buffer, at: number, bytes: Buffer): Buffer {
  const whole = at + bytes.length > content.length ? resized(content, at + bytes.length) : content;
  bytes.copy(whole, at);
  return whole;
}

/** What is in a directory: files with their inodes, and directories. */
export type KeptDirectory = readonly {
  readonly path: string;
  readonly inode: bigint | undefined;
  readonly content: Buffer;
}[];

/** Remembers a directory for a `CutDisk`, with the inodes by which the journal calls its files. */
export function keepDirectory(directory: string): KeptDirectory {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).map((name) => {
    const path = join(directory, name);
    const found = statSync(path, { bigint: true });
    const isFile = found.isFile();
    return { path, inode: isFile ? found.ino : undefined, content: isFile ? readFileSync(path) : Buffer.alloc(0) };
  });
}
