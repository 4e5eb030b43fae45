/**
 * The time of a statement: never later than its receipt, so that a statement received later can be newer. If the server's
 * clock was wrong, the known statement may still have a later time; then the order of arrival decides.
 */
export function statementTime(
  { at, recordedAt }: { readonly at: number; readonly recordedAt: number },
  knownAt: number,
): number {
  return knownAt > recordedAt ? knownAt + 1 : Math.min(at, recordedAt);
}
