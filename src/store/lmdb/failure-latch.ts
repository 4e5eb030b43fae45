import { Unavailable } from "../../domain/errors.js";
import { StoreFilesChanged } from "./replaced-files.js";

/**
 * Shuts at the first failed write and stays shut until the store is reopened. After a failed sync the contents of the disk
 * are unknown: kernels drop pages that they could not write and report the error once. A successful retry proves nothing.
 */
export class Latch {
  private cause: unknown;
  private shut = false;

  /** `onShut` is called once, with the cause. */
  constructor(private readonly onShut: (cause: unknown) => void = () => undefined) {}

  /** Shuts it. Only the first cause is kept. */
  close(cause: unknown): void {
    if (this.shut) return;
    this.shut = true;
    this.cause = cause;
    this.onShut(cause);
  }

  get isShut(): boolean {
    return this.shut;
  }

  /** The error for callers while it is shut. */
  refusal(): Unavailable {
    const { cause } = this;
    // Its text tells the operator what to do; the driver's text of any other cause would not help.
    if (cause instanceof StoreFilesChanged) return cause;
    return new Unavailable("The store rejects writes because one failed; restart the process", 30_000, { cause });
  }
}
