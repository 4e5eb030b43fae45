import { statfsSync } from "node:fs";
import type { Now } from "../../domain/clock.js";

/** Milliseconds for which an answer of the file system holds. It costs some 5 µs. */
const HOLDS_MS = 1000;

/**
 * Whether the disk is nearly full. A full one fails a write, and a failed write shuts the store until it is opened
 * anew; so writes are refused before, which ends by itself when there is room again.
 */
export class FreeSpace {
  private checkedAt = Number.NEGATIVE_INFINITY;
  private low = false;

  constructor(
    /** Bytes that are free for this process. */
    private readonly freeBytes: () => number,
    private readonly now: Now,
    readonly minBytes: number,
  ) {}

  isLow(): boolean {
    const at = this.now();
    if (Math.abs(at - this.checkedAt) >= HOLDS_MS) {
      this.checkedAt = at;
      this.low = this.freeBytes() < this.minBytes;
    }
    return this.low;
  }
}

/** Free bytes of the disk a directory is on; Infinity where the file system does not say. */
export function freeBytesOf(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
