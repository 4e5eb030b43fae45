/** Recorded sessions of `../shared/data/behaviour` in the form that the learned order learns from. */
import { type Question, questionsFrom } from "../../src/learning/rank/visits/questions.js";
import type { Visits } from "../../src/learning/rank/visits/visits.js";
import { readCsvGz, sharedData } from "../../test/fixtures/shared-data.js";
import { productNumbers, type ShopSession, visitsOf } from "../born-trained/shops.js";

export interface SessionData {
  readonly productCount: number;
  readonly visits: Visits;
  /** Sessions of dev. Each of their steps but the first is a question. */
  readonly judged: Visits;
  readonly questions: readonly Question[];
}

/** Learns from train and judges on every `every`-th session of dev. */
export function readSessionData(name: string, every: number): SessionData {
  const learned = readSessions(name, "train");
  const numbers = productNumbers(learned);
  const judging = readSessions(name, "dev").filter((_, s) => s % every === 0);
  const judged = visitsOf(judging, numbers);
  const questions = [...questionsFrom(judged, 0)];
  return { productCount: numbers.size, visits: visitsOf(learned, numbers), judged, questions };
}

/** In order of their ends. Sessions without clock times count one minute each. */
function readSessions(name: string, part: "train" | "dev"): ShopSession[] {
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
