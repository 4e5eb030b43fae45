/** Section of a snapshot: what the model needs to learn on after its training. */
import { createHash } from "node:crypto";
import type { Section } from "../common/section.js";
import { createSectionReader } from "../common/section-reader.js";
import type { FittedSessions } from "../session/live-sessions.js";

export interface LiveStart {
  /** Events received up to this time, ms, were learned in the training. */
  readonly learnedUntil: number;
  /** Of popularity. */
  readonly cutOff: number;
  readonly halfLifeMs: number;
  readonly sessions: FittedSessions;
  /** Rows of the sessions that may still go on, by `historyMark`. */
  readonly open: ReadonlyMap<number, readonly number[]>;
}

const MARK_BYTES = 6;

/** A number by which an open session is found again. The snapshot holds no visitor's id. */
export function historyMark(historyId: string): number {
  return createHash("sha256").update(historyId).digest().readUIntBE(0, MARK_BYTES);
}

const FORMAT = 1;
const WHAT = "Open sessions";
const HALF = 2 ** 32;

export function encodeLiveStart({ learnedUntil, cutOff, halfLifeMs, sessions, open }: LiveStart): Section {
  const rows: number[] = [];
  const marks: number[] = [];
  for (const [mark, its] of open)
    for (const row of its) {
      rows.push(row);
      marks.push(Math.floor(mark / HALF), mark % HALF);
    }
  return {
    formatNumber: FORMAT,
    numbers: { learnedUntil, cutOff, halfLifeMs, agesFrom: sessions.agesFrom },
    arrays: { rows: Uint32Array.from(rows), marks: Uint32Array.from(marks), inSessions: sessions.inSessions },
  };
}

/** Throws UnknownFormat for a section of another version, another Error for one that does not fit. */
export function decodeLiveStart(section: Section, productCount: number): LiveStart {
  const read = createSectionReader(WHAT, FORMAT, section);
  const [rows, marks, inSessions] = [read.uint32("rows"), read.uint32("marks"), read.uint32("inSessions")];
  if (marks.length !== 2 * rows.length || ![0, productCount].includes(inSessions.length))
    throw new Error(`${WHAT} have arrays that do not fit`);
  const open = new Map<number, number[]>();
  for (const [at, row] of rows.entries()) {
    const mark = marks[2 * at]! * HALF + marks[2 * at + 1]!;
    const its = open.get(mark);
    if (its === undefined) open.set(mark, [row]);
    else its.push(row);
  }
  return {
    learnedUntil: read.number("learnedUntil"),
    cutOff: read.number("cutOff"),
    halfLifeMs: read.number("halfLifeMs"),
    sessions: { inSessions, agesFrom: read.number("agesFrom") },
    open,
  };
}
