import * as lmdb from "lmdb";

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
 * What `open`, a call of lmdb-js's, answers. Where it throws, the environment that it had opened by then is closed at once:
 * lmdb-js leaves that to the garbage collector, and until then this process is another user of the store, opens no other
 * environment of it, and may lose the lock of a later one, since closing any file descriptor of the lock file gives up all
 * locks that the process has in it.
 */
export function openedWhole<T>(open: () => T): T {
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

/** What lmdb-js opens a store with. */
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
