/**
 * What freshness is worth: session neighbours predict the next product of recorded visits, replayed in order of time.
 *
 *     npm run bench -- freshness [yoochoose_100k diginetica] [--every 1]
 *
 * Learns the train part; dev then passes in order of time, each of its steps predicted from those before it. `never` learns
 * nothing of dev. `hourly` and `minute` learn what happened up to the last full hour or minute, `at once` up to the step
 * before. Learning is that of a server between trainings (`live-sessions.ts`): parameters stay those chosen for train.
 * HR@20: share of steps whose product is among the 20 proposed; MRR@20: mean of 1 / its rank. Products that train does not
 * hold are left out. The interval is of the difference to `never`, 95 % by bootstrap over sessions.
 */
import { parseArgs } from "node:util";
import { createRandom } from "../src/learning/common/random.js";
import { rowsFrom } from "../src/learning/common/rows.js";
import { LiveSessions } from "../src/learning/session/live-sessions.js";
import {
  countSessions,
  createSessionRecommender,
  fitSessionNeighbours,
} from "../src/learning/session/session-neighbours.js";
import { chooseSessionParams } from "../src/learning/session/session-tuning.js";
import { needsSharedData, sharedData } from "../test/fixtures/shared-data.js";
import { type Step, sessionsOf } from "./behaviour.js";

const K = 20;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SAMPLES = 1000;
const SEED = 11;

/** Time up to which what happened is learned, at a time. */
const PACES = {
  never: () => Number.NEGATIVE_INFINITY,
  hourly: (at: number) => Math.floor(at / HOUR) * HOUR,
  minute: (at: number) => Math.floor(at / MINUTE) * MINUTE,
  "at once": (at: number) => at,
} as const;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { every: { type: "string", default: "1" } },
});

interface Judged {
  /** By session: hits, reciprocal ranks and steps. */
  readonly hits: Float64Array;
  readonly reciprocal: Float64Array;
  readonly steps: Float64Array;
  readonly learnMicros: number;
}

async function read(name: string) {
  const [train, dev] = await Promise.all(
    ["train", "dev"].map((part) => sessionsOf(sharedData("behaviour", name, `${part}.csv.gz`) ?? "")),
  );
  const indexOf = new Map<string, number>();
  for (const { item } of train!.flat()) if (!indexOf.has(item)) indexOf.set(item, indexOf.size);
  const known = (sessions: readonly Step[][]) =>
    sessions
      .map((steps) => steps.filter(({ item }) => indexOf.has(item)))
      .filter((steps) => steps.length > 0)
      .sort((a, b) => a.at(-1)!.at - b.at(-1)!.at);
  const every = Number(values.every);
  return { train: known(train!), dev: known(dev!).filter((_, s) => s % every === 0), indexOf };
}

type Data = Awaited<ReturnType<typeof read>>;

function fit({ train, indexOf }: Data) {
  const input = {
    sessions: rowsFrom(train.map((steps) => withoutRepeats(steps, indexOf))),
    endedAt: Float64Array.from(train, (steps) => steps.at(-1)!.at),
  };
  const { params, name } = chooseSessionParams(input, indexOf.size);
  const fitted = fitSessionNeighbours(input, indexOf.size, params);
  const start = { inSessions: countSessions(input.sessions, indexOf.size), agesFrom: input.endedAt.at(-1)! };
  return { fitted, start, name };
}

function withoutRepeats(steps: readonly Step[], indexOf: ReadonlyMap<string, number>): number[] {
  return steps.map(({ item }) => indexOf.get(item)!).filter((item, i, items) => item !== items[i - 1]);
}

function open({ fitted, start }: Pick<ReturnType<typeof fit>, "fitted" | "start">) {
  const steps = LiveSessions.open(fitted, start);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Predicts each step of dev in order of time, after learning what the pace allows. */
function replay({ dev, indexOf }: Data, model: ReturnType<typeof fit>, pace: (at: number) => number): Judged {
  const neighbours = open(model);
  const { live } = neighbours;
  const recommender = createSessionRecommender(neighbours);
  const steps = dev
    .flatMap((session, s) => session.map((step, i) => ({ s, i, at: step.at })))
    .sort((a, b) => a.at - b.at || a.s - b.s || a.i - b.i);
  const numbers = new Map<number, number>();
  let oldest: number[] = [];
  let learned = 0;
  let learnMs = 0;
  const learn = (s: number, upTo: number) => {
    const before = numbers.get(s);
    if (before !== undefined) live.remove(before);
    while (live.size === live.capacity || live.itemCount + 200 > live.itemCapacity) {
      const first = oldest.shift()!;
      const number = numbers.get(first);
      if (number === undefined) continue;
      live.remove(number);
      numbers.delete(first);
    }
    const session = dev[s]!.slice(0, upTo + 1);
    numbers.set(s, live.add(Uint32Array.from(withoutRepeats(session, indexOf)), session.at(-1)!.at));
    if (before === undefined) oldest.push(s);
  };
  const judged = [0, 1, 2].map(() => new Float64Array(dev.length));
  const [hits, reciprocal, counts] = [judged[0]!, judged[1]!, judged[2]!];
  for (const { s, i, at } of steps) {
    const until = pace(at);
    const begun = performance.now();
    for (; learned < steps.length && steps[learned]!.at < until; learned++) learn(steps[learned]!.s, steps[learned]!.i);
    learnMs += performance.now() - begun;
    live.sweep(64);
    if (i === 0) continue;
    const items = withoutRepeats(dev[s]!.slice(0, i), indexOf);
    const rank = recommender
      .recommend({ items: Uint32Array.from(items) }, K)
      .indices.indexOf(indexOf.get(dev[s]![i]!.item)!);
    counts[s]!++;
    if (rank < 0) continue;
    hits[s]!++;
    reciprocal[s]! += 1 / (rank + 1);
  }
  oldest = [];
  return { hits, reciprocal, steps: counts, learnMicros: (learnMs * 1000) / Math.max(1, learned) };
}

const total = (numbers: Float64Array) => numbers.reduce((sum, x) => sum + x, 0);

/** 95 % of the differences of hit rates, sessions drawn with replacement. */
function interval(a: Judged, b: Judged): readonly [number, number] {
  const random = createRandom(SEED);
  const differences = Array.from({ length: SAMPLES }, () => {
    let [more, steps] = [0, 0];
    for (let n = 0; n < a.steps.length; n++) {
      const s = Math.floor(random() * a.steps.length);
      more += a.hits[s]! - b.hits[s]!;
      steps += a.steps[s]!;
    }
    return more / steps;
  }).sort((x, y) => x - y);
  return [differences[Math.floor(SAMPLES * 0.025)]!, differences[Math.floor(SAMPLES * 0.975)]!];
}

for (const name of positionals.length > 0 ? positionals : ["yoochoose_100k", "diginetica"]) {
  if (!needsSharedData("behaviour", name)) process.exit(2);
  const data = await read(name);
  const model = fit(data);
  const hours = (data.dev.at(-1)!.at(-1)!.at - data.dev[0]![0]!.at) / HOUR;
  console.log(
    `${name}: ${data.train.length} sessions learned (${model.name}), ${data.dev.length} of ${hours.toFixed(0)} hours replayed`,
  );
  let never: Judged | undefined;
  for (const [pace, upTo] of Object.entries(PACES)) {
    const judged = replay(data, model, upTo);
    never ??= judged;
    const steps = total(judged.steps);
    const [low, high] = interval(judged, never);
    console.log(
      [
        `  ${pace.padEnd(8)}`,
        `HR@20 ${(total(judged.hits) / steps).toFixed(4)}`,
        `MRR@20 ${(total(judged.reciprocal) / steps).toFixed(4)}`,
        `difference ${low.toFixed(4)} to ${high.toFixed(4)}`,
        pace === "never" ? "" : `${judged.learnMicros.toFixed(1)} µs an event`,
      ].join("  "),
    );
  }
}
