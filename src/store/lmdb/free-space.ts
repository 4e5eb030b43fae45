import { statfsSync } from "node:fs";
import type { Now } from "../../domain/clock.js";

/** Milliseconds for which an answer of the file system is cached. Asking costs about 5 µs. */
const HOLDS_MS = 1000;

/**
 * Tells when the disk is nearly full. On a full disk a write fails, and a failed write shuts the store until it is
 * reopened. Refusing writes earlier avoids that, and ends as soon as there is space again.
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
