import cluster from "node:cluster";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Unavailable } from "../domain/errors.js";

/** Who has a directory. */
interface Owner {
  /** What to stop: of a server the process that looks after the others. */
  readonly pid: number;
  readonly host: string;
  readonly since: string;
  /** Processes with the same text see one another by their ids; "" where the system does not say. */
  readonly pidNamespace: string;
}

export interface Ownership {
  /** Lets another process have the directory: this one writes nothing more, and touches no file of it. */
  release(): Promise<void>;
  /** The same at the end, and leaves a file in place of the socket. */
  end(): Promise<void>;
}

/** How long a process that is ending may still have the directory. */
const PATIENCE_MS = 3_000;
const LOOK_EVERY_MS = 100;
/** A process that does not say who it is within this time has the directory all the same. */
const SAYS_WITHIN_MS = 1_000;

/**
 * Takes a directory for this process alone, until it ends or lets it go. Throws Unavailable that names the process which has
 * it, in another container too.
 *
 * The owner listens on a socket in the directory, which the system closes with the process. Sockets are numbered, and the
 * highest counts. Who finds it closed links its own as the next number. That succeeds once, so of several there is one owner.
 * The highest stays when its owner ends, or two could begin anew: as a file, so that the directory can be copied.
 */
export async function ownDirectory(directory: string, patienceMs = PATIENCE_MS): Promise<Ownership> {
  const path = resolve(directory);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const short = shortNameOf(path);
  try {
    for (const until = performance.now() + patienceMs; ; await pause(LOOK_EVERY_MS)) {
      const newest = Math.max(0, ...numbersIn(path));
      const owner = newest === 0 ? undefined : await ownerBehind(join(short.path, nameOf(newest)));
      if (owner === undefined) {
        const server = await claim(path, short.path, newest + 1);
        if (server !== undefined) return ownership(join(path, nameOf(newest + 1)), server);
      } else if (performance.now() > until) throw new Unavailable(inUse(path, owner));
    }
  } finally {
    short.remove();
  }
}

/**
 * Rejects with Unavailable when a process of another container has the directory: LMDB tells its readers apart by the ids of
 * processes, so it would overwrite what is read from here.
 */
export async function mustBeReadableFromHere(directory: string): Promise<void> {
  const owner = await ownerOf(directory);
  if (owner === undefined || owner === "unknown" || owner.pidNamespace === pidNamespace()) return;
  const who = `${processOf(owner)} has the store in ${resolve(directory)} open`;
  throw new Unavailable(`${who}, in another container: run this command there, or stop that process first`);
}

/** The process that has a directory; undefined when none has. */
async function ownerOf(directory: string): Promise<Owner | "unknown" | undefined> {
  const path = resolve(directory);
  const newest = Math.max(0, ...numbersIn(path));
  if (newest === 0) return undefined;
  const short = shortNameOf(path);
  try {
    return await ownerBehind(join(short.path, nameOf(newest)));
  } finally {
    short.remove();
  }
}

const NAME = /^owner-(\d+)$/;
const nameOf = (number: number) => `owner-${number}`;

function numbersIn(path: string): number[] {
  return namesIn(path).flatMap((name) => {
    const number = NAME.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return []; // opening the store says why
  }
}

/** Listens as the owner of this number; undefined when another process was faster. */
async function claim(path: string, short: string, number: number): Promise<Server | undefined> {
  const since = new Date().toISOString();
  const words = JSON.stringify({
    pid: cluster.isWorker ? process.ppid : process.pid,
    host: hostname(),
    since,
    pidNamespace: pidNamespace(),
  });
  const server = createServer((socket) => {
    socket.on("error", () => undefined); // who asked is gone
    socket.end(`${words}\n`);
  });
  const own = `owner.${randomUUID().slice(0, 8)}`;
  server.listen(join(short, own));
  await once(server, "listening");
  server.unref();
  try {
    linkSync(join(path, own), join(path, nameOf(number)));
  } catch (error) {
    await closed(server);
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return undefined;
    throw error;
  } finally {
    rmSync(join(path, own), { force: true });
  }
  for (const older of numbersIn(path)) if (older < number) rmSync(join(path, nameOf(older)), { force: true });
  return server;
}

function ownership(name: string, server: Server): Ownership {
  const socket = statSync(name, { bigint: true });
  let isOver = false;
  const release = async () => {
    if (!isOver) await closed(server);
    isOver = true;
  };
  return {
    release,
    async end() {
      // Elsewhere, or replaced, it is not ours to change.
      const found = statSync(name, { bigint: true, throwIfNoEntry: false });
      if (!isOver && found?.ino === socket.ino && found.dev === socket.dev) leaveFile(name);
      await release();
    },
  };
}

function leaveFile(name: string): void {
  const file = `${name}.${randomUUID().slice(0, 8)}`;
  try {
    writeFileSync(file, "");
    renameSync(file, name);
  } catch {
    rmSync(file, { force: true }); // the disk is full: the socket stays as it is
  }
}

/** Asks who listens; undefined when nobody does. */
async function ownerBehind(path: string): Promise<Owner | "unknown" | undefined> {
  const socket = connect(path);
  socket.setEncoding("utf8").setTimeout(SAYS_WITHIN_MS, () => socket.destroy());
  let said = "";
  socket.on("data", (text: string) => {
    said += text;
  });
  const failure = await new Promise<Error | undefined>((done) => {
    socket.once("error", done).once("close", () => done(undefined));
  });
  if (failure !== undefined && "code" in failure && GONE.includes(failure.code)) return undefined;
  return readOwner(said) ?? "unknown";
}

const GONE: readonly unknown[] = ["ECONNREFUSED", "ENOENT", "ECONNRESET", "ENOTSOCK"];

function readOwner(said: string): Owner | undefined {
  try {
    const read: unknown = JSON.parse(said);
    return isOwner(read) ? read : undefined;
  } catch {
    return undefined; // it stands still, or is of another version
  }
}

function isOwner(read: unknown): read is Owner {
  if (typeof read !== "object" || read === null) return false;
  const { pid, host, since, pidNamespace }: { readonly [name: string]: unknown } = { ...read };
  return [host, since, pidNamespace].every((one) => typeof one === "string") && typeof pid === "number";
}

function inUse(path: string, owner: Owner | "unknown"): string {
  return `${processOf(owner)} has the store in ${path} open; stop it first, or name another directory`;
}

function processOf(owner: Owner | "unknown"): string {
  return owner === "unknown" ? "another process" : `process ${owner.pid} on ${owner.host} (since ${owner.since})`;
}

function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return ""; // not Linux
  }
}

/** The address of a socket has about a hundred bytes: a longer path gets a link for a moment. */
const ADDRESS_BYTES = 70;

function shortNameOf(path: string): { readonly path: string; remove(): void } {
  if (Buffer.byteLength(path) <= ADDRESS_BYTES) return { path, remove: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), "aisle-"));
  const link = join(folder, "d");
  symlinkSync(path, link);
  return { path: link, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
