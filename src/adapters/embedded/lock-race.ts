import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const EINVAL = 22;

/**
 * LMDB destroys the locks of a store when its last user closes it. Who opens the store in that moment waits for the last user
 * and then takes the locks for sound, which fails with EINVAL; opening it again, with no other user, makes them anew.
 */
export function isLockRace(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === EINVAL;
}

/**
 * Ends what a failed opening left behind. lmdb-js keeps it, and with it the file of the locks, until the garbage collector
 * finds it; until then this process would not be without another user: itself.
 */
export function dropFailedOpening(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
}
