import { createRequire } from "node:module";
import { Socket } from "node:net";

/**
 * The driver (mongodb 7.9 and before) waits for ever when it writes on a socket that is destroyed but has not said so
 * yet: `write` returns false, and of a destroyed socket comes neither the "drain" nor the "error" that it waits for. Its
 * monitor then never asks the server again, so that a database that was away a moment stays away, or a connection is
 * never given back to the pool. Here "drain" is said of each socket that the driver has given up: it goes on, and
 * finds the error that it noted. The class is no public part of the driver; where it is another one, nothing is done.
 */
export function mendDriver(): void {
  if (isMended) return;
  isMended = true;
  const prototype = connectionPrototype();
  if (prototype === undefined) return;
  const { cleanup } = prototype;
  prototype.cleanup = function (this: { readonly socket?: unknown }, ...given: readonly unknown[]) {
    Reflect.apply(cleanup, this, given);
    const { socket } = this;
    if (socket instanceof Socket) setImmediate(() => socket.emit("drain"));
  };
}

let isMended = false;

function connectionPrototype(): { cleanup: (...given: never[]) => unknown } | undefined {
  try {
    const found: unknown = createRequire(import.meta.url)("mongodb/lib/cmap/connection.js");
    if (typeof found !== "object" || found === null || !("Connection" in found)) return undefined;
    const { Connection } = found;
    if (typeof Connection !== "function") return undefined;
    const prototype: unknown = Connection.prototype;
    return hasCleanup(prototype) ? prototype : undefined;
  } catch {
    return undefined;
  }
}

function hasCleanup(prototype: unknown): prototype is { cleanup: (...given: never[]) => unknown } {
  return (
    typeof prototype === "object" &&
    prototype !== null &&
    "cleanup" in prototype &&
    typeof prototype.cleanup === "function"
  );
}
