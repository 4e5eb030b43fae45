// One set-up at a time in one checkout.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";

const BEAT_MS = 2_000;
const STALE_MS = 30_000;

/**
 * Runs `work` while this process alone holds the lock file, and returns what it returns.
 *
 * The file is linked into place whole, so that a reader never sees half of it, and its time is touched while `work`
 * runs. A lock whose process is gone (same host) or that nobody has touched for 30 seconds (another host or container) is
 * taken over. `onWait` is called once when somebody else holds it.
 */
export async function withLock(path, work, onWait = () => {}) {
  const mine = `${hostname()} ${process.pid} ${Date.now()} ${Math.random()}`;
  const draft = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(draft, mine);
  try {
    for (let turn = 0; !place(draft, path); turn += 1) {
      if (turn === 0) onWait();
      if (!removeStale(path)) await new Promise((wake) => setTimeout(wake, 100));
    }
  } finally {
    rmSync(draft, { force: true });
  }
  const beat = setInterval(() => touch(path), BEAT_MS);
  beat.unref();
  const release = () => {
    if (read(path) === mine) rmSync(path, { force: true });
  };
  process.once("exit", release);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    process.off("exit", release);
    release();
  }
}

function place(draft, path) {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** Removes a lock that nobody holds any more; true when it did. */
function removeStale(path) {
  const seen = read(path);
  if (seen === undefined || !isStale(path, seen)) return false;
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return false;
  }
  // Somebody else may have taken the stale one over in between: then theirs goes back.
  const taken = read(aside);
  if (taken !== seen) place(aside, path);
  rmSync(aside, { force: true });
  return taken === seen;
}

function isStale(path, content) {
  const [host, pid] = content.split(" ");
  if (host === hostname() && !isAlive(Number(pid))) return true;
  try {
    return Date.now() - statSync(path).mtimeMs > STALE_MS;
  } catch {
    return false;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function touch(path) {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // Gone: release() sees to it that nobody else's lock is removed.
  }
}
