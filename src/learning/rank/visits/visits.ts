import type { Rows } from "../../common/rows.js";

/** What visitors met, session by session, in order of the sessions' ends. */
export interface Visits {
  /** Products in order of time, none twice in a row. */
  readonly sessions: Rows;
  /** How often each was met in a row, 1 or more; aligned with `sessions.items`. */
  readonly runs: Uint32Array;
  /** Time of the last step of each session, ms. */
  readonly endedAt: Float64Array;
  /** Row of the session of the same visitor before this one; -1 for none. */
  readonly previous: Int32Array;
}

/** A visitor's steps up to now, oldest first, in the form of `Visits`. */
export interface VisitQuery {
  readonly items: Uint32Array;
  readonly runs: Uint32Array;
}

/** Newest steps of a visitor that are read. */
export const MAX_VISIT_STEPS = 60;

/** The first `count` sessions. Sessions before them are named by `previous` all the same. */
export function firstVisits({ sessions, runs, endedAt, previous }: Visits, count: number): Visits {
  const end = sessions.offsets[count]!;
  return {
    sessions: { offsets: sessions.offsets.subarray(0, count + 1), items: sessions.items.subarray(0, end) },
    runs: runs.subarray(0, end),
    endedAt: endedAt.subarray(0, count),
    previous: previous.subarray(0, count),
  };
}
