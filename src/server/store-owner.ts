import cluster from "node:cluster";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
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
  /** Its store is open: it keeps what there is now for the reader that asked, until that one closes the connection. */
  readonly holds: boolean;
}

export interface Ownership {
  /** Once the store is open: `hold` keeps its pages as they are until the function that it answers is called. */
  serveReaders(hold: () => () => void): void;
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
      const newest = newestIn(path);
      const connection = newest === 0 ? undefined : await connectTo(join(short.path, nameOf(newest)));
      connection?.socket.destroy();
      if (connection === undefined) {
        const claimed = await claim(path, short.path, newest + 1);
        if (claimed !== undefined) return ownership(join(path, nameOf(newest + 1)), claimed);
      } else if (performance.now() > until) throw new Unavailable(inUse(path, connection.owner));
    }
  } finally {
    short.remove();
  }
}

/** What a reader of a directory has from the process that owns it. */
export interface Reading {
  /** False when a server began or ended meanwhile: what was read may be wrong. */
  isStill(): Promise<boolean>;
  end(): void;
}

/** How long a reader waits for a server that is opening its store. */
const OPENS_WITHIN_MS = 60_000;

/**
 * Makes the process that has a directory keep what there is now, in any container, so that this one can read its files. Rejects
 * with Unavailable when that process does not answer.
 */
export async function readDirectory(directory: string): Promise<Reading> {
  const path = resolve(directory);
  for (const until = performance.now() + OPENS_WITHIN_MS; ; await pause(LOOK_EVERY_MS)) {
    const newest = newestIn(path);
    const connection = await askOwner(path);
    // Each owner has a number of its own, also one that began and ended meanwhile.
    if (connection === undefined) return { isStill: async () => newestIn(path) === newest, end: () => undefined };
    const { owner, socket } = connection;
    if (owner !== "unknown" && owner.holds)
      return { isStill: async () => !socket.destroyed, end: () => socket.destroy() };
    socket.destroy();
    if (performance.now() > until || owner === "unknown")
      throw new Unavailable(`${processOf(owner)} has the store in ${path} open and does not let it be read`);
  }
}

/** Reads the files of a directory beside a process that may have it; once more when that one began or ended meanwhile. */
export async function readBeside<T>(directory: string, read: () => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    const reading = await readDirectory(directory);
    try {
      const outcome = await read().then(
        (value) => () => value,
        (error: unknown) => () => {
          throw error;
        },
      );
      if (await reading.isStill()) return outcome();
    } finally {
      reading.end();
    }
    if (n === READINGS)
      throw new Unavailable(`A server of the store in ${resolve(directory)} began or ended meanwhile: run it again`);
  }
}

const READINGS = 3;

/** Asks the process that has a directory; undefined when none has. */
async function askOwner(path: string): Promise<Connection | undefined> {
  const newest = newestIn(path);
  if (newest === 0) return undefined;
  const short = shortNameOf(path);
  try {
    return await connectTo(join(short.path, nameOf(newest)));
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

/** The number of the newest owner; 0 before the first. */
function newestIn(path: string): number {
  return Math.max(0, ...numbersIn(path));
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return []; // opening the store says why
  }
}

/** A socket that tells who owns the directory, and holds its store for each connection. */
interface Claimed {
  readonly server: Server;
  readonly readers: Set<Socket>;
  hold: (() => () => void) | undefined;
}

/** Listens as the owner of this number; undefined when another process was faster. */
async function claim(path: string, short: string, number: number): Promise<Claimed | undefined> {
  const pid = cluster.isWorker ? process.ppid : process.pid;
  const who = { pid, host: hostname(), since: new Date().toISOString() };
  const server = createServer((socket) => {
    const release = holdNow(claimed);
    claimed.readers.add(socket.unref());
    socket.on("error", () => undefined); // who asked is gone
    socket.once("close", () => {
      claimed.readers.delete(socket);
      release?.();
    });
    socket.resume().write(`${JSON.stringify({ ...who, holds: release !== undefined })}\n`);
  });
  const claimed: Claimed = { server, readers: new Set(), hold: undefined };
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
  return claimed;
}

/** Undefined while the store is being opened or closed. */
function holdNow({ hold }: Claimed): (() => void) | undefined {
  try {
    return hold?.();
  } catch {
    return undefined; // the reader hears that nothing is held
  }
}

function ownership(name: string, claimed: Claimed): Ownership {
  const socket = statSync(name, { bigint: true });
  let isOver = false;
  const release = async () => {
    if (isOver) return;
    isOver = true;
    for (const reader of claimed.readers) reader.destroy();
    await closed(claimed.server);
  };
  return {
    serveReaders: (hold) => {
      claimed.hold = hold;
    },
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

/** A connection to the process that owns a directory. */
interface Connection {
  readonly owner: Owner | "unknown";
  readonly socket: Socket;
}

/** Asks who listens; undefined when nobody does. */
async function connectTo(path: string): Promise<Connection | undefined> {
  const socket = connect(path);
  socket.setEncoding("utf8").setTimeout(SAYS_WITHIN_MS, () => socket.destroy());
  const said = await new Promise<string | Error>((done) => {
    let text = "";
    socket.on("data", (part: string) => {
      text += part;
      if (text.endsWith("\n")) done(text);
    });
    socket.once("error", done).once("close", () => done(text));
  });
  if (said instanceof Error) {
    if ("code" in said && GONE.includes(said.code)) return undefined;
    return { owner: "unknown", socket };
  }
  socket.setTimeout(0).on("error", () => undefined); // its end says so
  return { owner: readOwner(said) ?? "unknown", socket };
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
  const { pid, host, since, holds }: { readonly [name: string]: unknown } = { ...read };
  return typeof pid === "number" && typeof host === "string" && typeof since === "string" && typeof holds === "boolean";
}

function inUse(path: string, owner: Owner | "unknown"): string {
  return `${processOf(owner)} has the store in ${path} open; stop it first, or name another directory`;
}

function processOf(owner: Owner | "unknown"): string {
  return owner === "unknown" ? "another process" : `process ${owner.pid} on ${owner.host} (since ${owner.since})`;
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
