export type FaultStore = "embedded" | "mongo";

const BOTH: readonly FaultStore[] = ["embedded", "mongo"];
const EMBEDDED: readonly FaultStore[] = ["embedded"];
const MONGO: readonly FaultStore[] = ["mongo"];

/** What is done to servers and stores on purpose, over which kinds of store; the tests of this folder do it and report. */
export const FAULTS = [
  { fault: "kill", what: "`kill -9` at random moments under load", stores: BOTH },
  { fault: "kill-first", what: "`kill -9` of the process that looks after the others, under load", stores: EMBEDDED },
  { fault: "second-signal", what: "a second SIGTERM while the first one drains, under load", stores: EMBEDDED },
  {
    fault: "stalls",
    what: "the disk stalls for 36 s, or a process stands still for 40 s, under load",
    stores: EMBEDDED,
  },
  { fault: "sync-fails", what: "a sync fails once (EIO), under load", stores: EMBEDDED },
  { fault: "write-fails", what: "a write fails once (EIO), under load", stores: EMBEDDED },
  { fault: "no-space", what: "a write finds no space once (ENOSPC), under load", stores: EMBEDDED },
  { fault: "short-write", what: "a write stops half-way, once, under load", stores: EMBEDDED },
  { fault: "failing-calls", what: "the n-th sync or write fails (`strace -e inject`)", stores: EMBEDDED },
  { fault: "full-disk", what: "a disk of 2 MiB gets full", stores: EMBEDDED },
  { fault: "low-disk", what: "the disk runs low under load, then has room again", stores: EMBEDDED },
  { fault: "power-cut", what: "power cut while a server writes events and models", stores: EMBEDDED },
  { fault: "power-cut-copies", what: "power cut while models and backups are written", stores: EMBEDDED },
  { fault: "flipped-bits", what: "1 to 8 bits of the file flipped", stores: EMBEDDED },
  { fault: "flipped-bit", what: "one bit of the file or of a snapshot flipped, all tables read", stores: EMBEDDED },
  { fault: "flipped-byte", what: "one byte of the file changed, all lists and copies compared", stores: EMBEDDED },
  {
    fault: "flipped-structure",
    what: "the same, in bytes of the file that lead to others",
    stores: EMBEDDED,
  },
  {
    fault: "flipped-server",
    what: "bits flipped in the file of a server, running or between starts",
    stores: EMBEDDED,
  },
  { fault: "torn-file", what: "the file cut short, or sectors of it zero", stores: EMBEDDED },
  { fault: "lost-answers", what: "answers lost, connections reset, server killed; events sent again", stores: BOTH },
  { fault: "store-away", what: "the database stalls, is cut off, or is late", stores: MONGO },
  { fault: "store-resets", what: "connections to the database reset; events sent again", stores: MONGO },
  { fault: "rolling-restarts", what: "two servers restarted in turn by SIGTERM, under load", stores: MONGO },
  { fault: "clock-jumps", what: "the system clock jumps by 25 hours and more for 6 s, under load", stores: BOTH },
  { fault: "erasure", what: "`kill -9` in each step of an erasure, while four senders name its person", stores: BOTH },
  { fault: "wrong-clock", what: "a server starts with a wrong system clock, which is then set right", stores: BOTH },
] as const satisfies readonly {
  readonly fault: string;
  readonly what: string;
  readonly stores: readonly FaultStore[];
}[];

export type Fault = (typeof FAULTS)[number]["fault"];

/** What came of a fault, over all its rounds. */
export interface FaultOutcome {
  readonly rounds: number;
  /** Works or events of which a caller was told that they are kept. */
  readonly acknowledged: number;
  /** Of these, those that were not there afterwards. */
  readonly lost: number;
  /** What was there more than once. */
  readonly duplicated: number;
  /** Answers that were given as values and are not what was written. */
  readonly wrong: number;
  /** What else was seen, in a few words. */
  readonly seen: string;
}

/** Every fault on every store it is for, in the order of the report. */
export const ALL_FAULTS: readonly { readonly fault: Fault; readonly what: string; readonly store: FaultStore }[] =
  FAULTS.flatMap(({ fault, what, stores }) => stores.map((store) => ({ fault, what, store })));

/** So many rounds: `few` in every run of the tests, `all` when AISLE_FAULTS says `full`. */
export function rounds(few: number, all: number): number {
  return process.env.AISLE_FAULTS === "full" ? all : few;
}

/** What a kind of store is called in the report. */
export function faultStoreOf(name: string): FaultStore {
  return name.startsWith("mongo") ? "mongo" : "embedded";
}
