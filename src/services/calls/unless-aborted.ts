/**
 * `work`, unless `signal` fires first: then the signal's reason is thrown and the result of `work` is dropped.
 * The listener goes when either comes, so a signal that lives as long as the process gathers nothing (a
 * `Promise.race` with one long-lived promise would keep every call).
 */
export async function unlessAborted<T>(signal: AbortSignal, work: () => PromiseLike<T> | T): Promise<T> {
  signal.throwIfAborted();
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
