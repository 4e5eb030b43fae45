/** Yields the progress that `work` reports, and returns its result. */
export async function* withProgress<P, T>(
  work: (onProgress: (progress: P) => void) => Promise<T>,
): AsyncGenerator<P, T> {
  const waiting: P[] = [];
  let wake = () => {};
  let ended = false;
  const result = work((progress) => {
    waiting.push(progress);
    wake();
  });
  const end = () => {
    ended = true;
    wake();
  };
  result.then(end, end);
  while (!ended || waiting.length > 0) {
    const progress = waiting.shift();
    if (progress !== undefined) yield progress;
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
  return result;
}
