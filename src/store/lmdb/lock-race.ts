/**
 * Works around two faults in a dependency.
 *
 * - Dependency: LMDB inside lmdb-js (npm `lmdb`) 3.5.6. We know of no upstream report.
 * - Fault 1 (`isLockRace`): LMDB destroys a store's locks when its last user closes it. A process that opens the store at
 *   that moment waits for the last user, then uses the destroyed locks and fails with EINVAL.
 * - Fault 2 (`openOrClose`): when lmdb-js fails to open a store, it leaves the native environment to the garbage collector.
 * - Without this file: a server that starts while another one stops fails to open the store. Trying again fails as well
 *   while the abandoned environment counts as a user. Collecting it later can drop the locks of a newer environment,
 *   since closing any descriptor of a lock file drops all locks that the process holds in it.
 * - Still needed? Make `isLockRace` return false, or `openOrClose` just call `open`, and run
 *   `test/store/lmdb/lock-race.test.ts`. With 3.5.6 it fails either way; once it passes, remove that part.
 */

import * as lmdb from "lmdb";

const EINVAL = 22;

/** True when opening failed because the last user closed the store at that moment. Opening it again creates new locks. */
export function isLockRace(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === EINVAL;
}

/** Returns the result of `open`, a call of lmdb-js. When it throws, closes the environment that it had opened by then. */
export function openOrClose<T>(open: () => T): T {
  const prototype = nativePrototype();
  const opened: NativeEnvironment[] = [];
  // lmdb-js gives an environment its path as soon as it is open; its methods cannot be replaced.
  Object.defineProperty(prototype, "path", {
    configurable: true,
    set(this: NativeEnvironment, value: unknown) {
      opened.push(this);
      Object.defineProperty(this, "path", { value, writable: true, enumerable: true, configurable: true });
    },
  });
  try {
    return open();
  } catch (error) {
    for (const environment of opened) environment.close();
    throw error;
  } finally {
    Reflect.deleteProperty(prototype, "path");
  }
}

/** lmdb-js's native environment. */
interface NativeEnvironment {
  close(): void;
}

/** lmdb-js exports the class without declaring it. */
function nativePrototype(): NativeEnvironment {
  const { nativeAddon }: Exported = lmdb;
  if (nativeAddon === undefined) throw new Error("This version of lmdb-js does not show its environments");
  return nativeAddon.Env.prototype;
}

interface Exported {
  readonly open: unknown;
  readonly nativeAddon?: { readonly Env: { readonly prototype: NativeEnvironment } };
}
