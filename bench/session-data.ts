/** Recorded sessions of `../shared/data/behaviour` in the form that the session algorithms learn from, for benchmarks. */
import { rowsFrom } from "../src/learning/common/rows.js";
import { type Question, questionsFrom } from "../src/learning/ranking/reranker/questions.js";
import type { Visits } from "../src/learning/ranking/reranker/visits.js";
import { readCsvGz, sharedData } from "../test/fixtures/shared-data.js";

export interface SessionData {
  readonly productCount: number;
  readonly visits: Visits;
  /** What is asked: sessions after those of `visits`, and each of their steps but the first. */
  readonly judged: Visits;
  readonly questions: readonly Question[];
}

interface Session {
  readonly items: readonly string[];
  readonly endedAt: number;
}

/** Share of the train part that judges instead of dev with `heldBack`. */
const HELD_BACK = 0.08;

/**
 * Learns from train and judges on dev; with `heldBack` from the older sessions of train alone, judged on the newest.
 * Of the sessions that judge every `every`-th is taken.
 */
export function readSessionData(name: string, every: number, heldBack: boolean): SessionData {
  const train = readSessions(name, "train");
  const cut = heldBack ? Math.floor(train.length * (1 - HELD_BACK)) : train.length;
  const learned = train.slice(0, cut);
  const judging = heldBack ? train.slice(cut) : readSessions(name, "dev");
  const indexOf = new Map<string, number>();
  for (const { items } of learned) for (const item of items) if (!indexOf.has(item)) indexOf.set(item, indexOf.size);
  const judged = visitsOf(
    judging.filter((_, s) => s % every === 0),
    indexOf,
  );
  return {
    productCount: indexOf.size,
    visits: visitsOf(learned, indexOf),
    judged,
    questions: [...questionsFrom(judged, 0)],
  };
}

/** In order of their ends. Sessions without clock times count one minute each. */
function readSessions(name: string, part: "train" | "dev"): Session[] {
  const sessions = new Map<string, { item: string; at: number; order: number }[]>();
  for (const row of readCsvGz(sharedData("behaviour", name, `${part}.csv.gz`) ?? "")) {
    const { session = "", item = "", ts, position } = row;
    const steps = sessions.get(session) ?? [];
    if (steps.length === 0) sessions.set(session, steps);
    const at = ts === undefined ? Number(session) * 60_000 : Number(ts) * 1000;
    steps.push({ item, at, order: position === undefined ? steps.length : Number(position) });
  }
  const read = [...sessions.values()].map((steps) => {
    steps.sort((a, b) => a.at - b.at || a.order - b.order);
    return { items: steps.map((step) => step.item), endedAt: steps.at(-1)?.at ?? 0 };
  });
  return read.sort((a, b) => a.endedAt - b.endedAt);
}

/** Sessions of known products as training sees them: what is met several times in a row is one step of a longer run. */
function visitsOf(sessions: readonly Session[], indexOf: ReadonlyMap<string, number>): Visits {
  const runs: number[] = [];
  const rows = sessions.map((session) => {
    const items: number[] = [];
    for (const item of session.items) {
      const index = indexOf.get(item);
      if (index === undefined) continue;
      if (items.at(-1) === index) runs[runs.length - 1]!++;
      else {
        items.push(index);
        runs.push(1);
      }
    }
    return items;
  });
  return {
    sessions: rowsFrom(rows),
    runs: Uint32Array.from(runs),
    endedAt: Float64Array.from(sessions, (session) => session.endedAt),
    previous: new Int32Array(sessions.length).fill(-1),
  };
}
