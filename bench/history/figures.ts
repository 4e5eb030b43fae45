/** What is shown of each benchmark's results, and where it stands in them (see value-at.ts). */

/** The unit of what is compared with a reference that ran beside it: that can be told from machine to machine. */
export const RATIO = "×";

export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly lowerIsBetter: boolean;
  readonly path: string;
  /** Where the number stands that this one is divided by. */
  readonly over?: string;
}

export interface Shown {
  readonly title: string;
  /** What figures must have in common to be compared, with paths in braces. */
  readonly conditions: string;
  readonly figures: readonly Figure[];
}

const lower = { lowerIsBetter: true };
const higher = { lowerIsBetter: false };
const ratio = { ...lower, unit: RATIO };

const OF_KIT = "reference[server=aisle,form=kit,connections=max]";
const OF_SHOP = "reference[server=aisle,form=shop,connections=max]";
const LAST_PART = "parts[events=max]";
const RECOMMENDED = "figures[name=POST /recommend,length=20]";
const LARGEST_TRAINED = "rows[events=max,products=max]";
const LARGEST_STORE = "rows[products=max]";

/** By the name of the benchmark, as `npm run bench` takes it. */
export const SHOWN: Readonly<Record<string, Shown>> = {
  trace: {
    title: "Events: POST /trace",
    conditions: `{${OF_KIT}.connections} connections`,
    figures: [
      { ...ratio, name: "CPU of a small event, to the reference server", path: `${OF_KIT}.ratio` },
      { ...ratio, name: "CPU of a shop's event, to the reference server", path: `${OF_SHOP}.ratio` },
    ],
  },
  status: {
    title: "Status: GET /subscription_status",
    conditions: "{contacts} contacts",
    figures: [
      { ...ratio, name: "CPU, to an empty answer of fastify", path: "measured.cpuMicros", over: "reference.cpuMicros" },
    ],
  },
  recommend: {
    title: "Recommendations: POST /recommend",
    conditions: "{products} products, {events} events",
    figures: [
      { ...lower, name: "CPU of scoring, 20 interactions", unit: "µs", path: `${RECOMMENDED}.scoringMicros` },
      {
        ...ratio,
        name: "CPU of the rest, to an empty answer of fastify",
        path: "figures[name=without a model,length=20].ratio",
      },
    ],
  },
  rpc: {
    title: "A unary call: GetStatus over gRPC",
    conditions: "{callers} calls at a time",
    figures: [
      {
        ...ratio,
        name: "CPU, to grpc-js alone",
        path: "rows[name=Aisle,protocol=gRPC].cpuMicros",
        over: "rows[name=grpc-js alone].cpuMicros",
      },
    ],
  },
  import: {
    title: "Bulk intake: RecordEvents",
    conditions: `{${LAST_PART}.events} events`,
    figures: [
      { ...higher, name: "Events of the last million", unit: "a second", path: `${LAST_PART}.perSecond` },
      { ...lower, name: "Size of an event in the store", unit: "bytes", path: "summary.bytesAnEvent" },
      { ...higher, name: "Speed of the last million, to the first", unit: RATIO, path: "summary.lastToFirst" },
    ],
  },
  train: {
    title: "Training, the largest size",
    conditions: `{${LARGEST_TRAINED}.products} products, {${LARGEST_TRAINED}.events} events`,
    figures: [
      { ...lower, name: "Time", unit: "s", path: `${LARGEST_TRAINED}.seconds` },
      { ...lower, name: "Most memory", unit: "MiB", path: `${LARGEST_TRAINED}.memoryMib` },
    ],
  },
  hostile: {
    title: "Hostile peers",
    conditions: "{rate} honest events a second, {rows.length} attacks",
    figures: [
      { ...ratio, name: "p99 of honest events under the worst attack, to alone", path: "rows[ratio=max].ratio" },
    ],
  },
  start: {
    title: "Start, the largest store",
    conditions: `{${LARGEST_STORE}.products} products, {events} events`,
    figures: [
      {
        ...ratio,
        name: "Time to ready, to fastify alone",
        path: `${LARGEST_STORE}.stopped.readyMs`,
        over: `${LARGEST_STORE}.bare.readyMs`,
      },
      { ...lower, name: "Start to first recommendation", unit: "ms", path: `${LARGEST_STORE}.stopped.recommendedMs` },
    ],
  },
};
