/** The one whose figure is the median. Throws when there is none. */
export function medianOf<T>(all: readonly T[], of: (one: T) => number): T {
  const median = [...all].sort((a, b) => of(a) - of(b))[Math.floor(all.length / 2)];
  if (median === undefined) throw new Error("there was no pass");
  return median;
}
