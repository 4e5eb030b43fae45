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
  /** What it should be. Figures with an aim stand in the table at the head of the page. */
  readonly aim?: number;
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
const LIMITED = "rows[limited=true]";
const SWAPPING = "phases[name=swapping models]";
const NEAREST = "catalogues[count=max]";
const LARGEST_STORE = "rows[products=max]";

/** By the name of the benchmark, as `npm run bench` takes it. */
export const SHOWN: Readonly<Record<string, Shown>> = {
  trace: {
    title: "Events: POST /trace",
    conditions: `{${OF_KIT}.connections} connections`,
    figures: [
      { ...ratio, name: "CPU of a small event, to the reference server", path: `${OF_KIT}.ratio` },
      { ...ratio, name: "CPU of a shop's event, to the reference server", path: `${OF_SHOP}.ratio` },
      { ...lower, name: "p99 at half of the best rate", unit: "ms", path: "rate.latency.p99", aim: 5 },
    ],
  },
  stranger: {
    title: "Strangers: events and recommendations of an app without a model",
    conditions: "{rows[part=trace,server=Aisle,connections=max].connections} connections",
    figures: [
      {
        ...ratio,
        name: "CPU of POST /trace, to the reference server",
        path: "rows[part=trace,server=Aisle,connections=max].ratio",
        aim: 1.6,
      },
      {
        ...ratio,
        name: "CPU of POST /recommend, to an empty answer of fastify",
        path: "rows[part=recommend,server=Aisle,connections=max].ratio",
        aim: 2,
      },
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
      { ...lower, name: "CPU of scoring, 20 interactions", unit: "µs", path: `${RECOMMENDED}.scoringMicros`, aim: 300 },
      { ...lower, name: "CPU of scoring, met again", unit: "µs", path: `${RECOMMENDED}.scoringAgainMicros`, aim: 150 },
      {
        ...higher,
        name: "Recommendations of one core",
        unit: "a second",
        path: `${RECOMMENDED}.okPerSecond`,
        aim: 3000,
      },
      {
        ...ratio,
        name: "CPU of the rest, to an empty answer of fastify",
        path: "figures[name=without a model,length=20].ratio",
        aim: 2,
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
        aim: 0.9,
      },
    ],
  },
  import: {
    title: "Bulk intake: RecordEvents",
    conditions: `{${LAST_PART}.events} events`,
    figures: [
      { ...higher, name: "Events of the last million", unit: "a second", path: `${LAST_PART}.perSecond`, aim: 40_000 },
      { ...lower, name: "CPU of an event of the last million", unit: "µs", path: `${LAST_PART}.cpuMicros`, aim: 25 },
      { ...lower, name: "Size of an event in the store", unit: "bytes", path: "summary.bytesAnEvent" },
      { ...higher, name: "Speed of the last million, to the first", unit: RATIO, path: "summary.lastToFirst" },
    ],
  },
  memory: {
    title: "Memory of many shops",
    conditions: "{shops} shops of {products} products",
    figures: [
      { ...lower, name: "Most memory, without a limit", unit: "MiB", path: "rows[memoryMib=off].mostMiB" },
      { ...lower, name: "Most memory, with --memory-mib", unit: "MiB", path: `${LIMITED}.mostMiB` },
      { ...lower, name: "Answer of a shop that left memory, p50", unit: "ms", path: `${LIMITED}.inTurnP50`, aim: 100 },
    ],
  },
  pauses: {
    title: "Pauses of the main thread",
    conditions: "{products} products, {events} events",
    figures: [
      { ...lower, name: "Swapping models, most", unit: "ms", path: `${SWAPPING}.mostMs`, aim: 10 },
      { ...lower, name: "Importing events, most", unit: "ms", path: "phases[name=importing events].mostMs", aim: 10 },
    ],
  },
  hnsw: {
    title: "Nearest texts, the largest catalogue",
    conditions: `{${NEAREST}.count} vectors`,
    figures: [
      {
        ...ratio,
        name: "A query for ten, to hnswlib for Python",
        path: `${NEAREST}.rows[name=Aisle].ten`,
        over: `${NEAREST}.rows[name=hnswlib for Python].ten`,
        aim: 1.05,
      },
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
