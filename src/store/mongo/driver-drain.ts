/**
 * Works around a fault in a dependency.
 *
 * - Dependency: the MongoDB driver (npm `mongodb`) 7.8.0; 7.9.0 has the same code. We know of no upstream report.
 * - Fault: `Connection.writeCommand` waits for ever when it writes to a socket that is destroyed but has not emitted
 *   "close" yet. `write` returns false, and a destroyed socket emits neither the "drain" nor the "error" it waits for.
 * - Without this file: after a short outage the driver's monitor never asks the server again, so the database stays
 *   unreachable. Or a connection never returns to the pool.
 * - Still needed? Remove the call of `patchDriver` in `test/store/mongo/driver-drain.test.ts`. With 7.8.0 the test times
 *   out; once it passes, remove this file.
 */

import { Socket } from "node:net";
import { Connection } from "mongodb/lib/cmap/connection.js";

/**
 * Emits "drain" on each socket that the driver has given up. The driver then continues and finds the error that it stored.
 * Patches an internal class; does nothing when the driver's version has no such class.
 */
export function patchDriver(): void {
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
  if (typeof Connection !== "function") return undefined;
  const prototype: unknown = Connection.prototype;
  return hasCleanup(prototype) ? prototype : undefined;
}

function hasCleanup(prototype: unknown): prototype is { cleanup: (...given: never[]) => unknown } {
  return (
    typeof prototype === "object" &&
    prototype !== null &&
    "cleanup" in prototype &&
    typeof prototype.cleanup === "function"
  );
}
