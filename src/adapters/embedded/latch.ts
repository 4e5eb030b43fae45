import { Unavailable } from "../../domain/errors.js";

/**
 * Shuts at the first failed write and stays shut until the store is opened anew. After a failed sync nobody knows what
 * is on the disk: kernels drop the pages they could not write and report the error once, so a retry that "succeeds"
 * proves nothing.
 */
export class Latch {
  private cause: unknown;
  private shut = false;

  /** Shuts it. Only the first cause is kept. */
  close(cause: unknown): void {
    if (this.shut) return;
    this.shut = true;
    this.cause = cause;
  }

  get isShut(): boolean {
    return this.shut;
  }

  /** What callers are told while it is shut. */
  refusal(): Unavailable {
    return new Unavailable("The store takes no writes since one failed; it must be opened anew", 30_000, {
      cause: this.cause,
    });
  }
}
