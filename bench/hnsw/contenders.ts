/** What is measured: each builds, is asked, and opens what it saved. */
import { rmSync } from "node:fs";
import { exactIndex } from "../../src/adapters/hnsw/exact-index.js";
import { decodeIndex } from "../../src/adapters/hnsw/format.js";
import { openGraph } from "../../src/adapters/hnsw/graph.js";
import { hnswIndexes } from "../../src/adapters/hnsw/vector-indexes.js";
import type { BuiltVectorIndex, Nearest } from "../../src/adapters/vector-index.js";
import { VECTOR_INDEX } from "../../src/learning/training/semantic.js";
import { type Queries, RECALL_AT, recallOf } from "./answers.js";
import { type Catalogue, SEED } from "./catalogues.js";
import { cpuSeconds, microsOf } from "./cpu.js";
import type { PythonIndex } from "./python.js";

/** What others are compared with. */
export const PYTHON = "hnswlib for Python";
/** What the recommend stage asks for at least, beside the anchors themselves. */
export const ASKED = 100;
/** Rounds of all queries in a pass. */
const ROUNDS = 3;
/** Exact search takes milliseconds. */
const EXACT_QUERIES = 50;

export interface Answered {
  /** CPU of a query for ten, and for 200, µs. */
  readonly ten: number;
  readonly asked: number;
  readonly recall: number;
}

export interface Contender {
  readonly name: string;
  /** Seconds of CPU; not a number for what needs no build. */
  build(): number | Promise<number>;
  /** hnswlib looks at max(`efSearch`, asked for) candidates. Ours has its own width. */
  answer(queries: Queries, efSearch: number): Answered | Promise<Answered>;
  /** ms to open what was saved; `file` may be written and is removed. */
  open(file: string): number | Promise<number>;
}

export interface Ours extends Contender {
  /** The width that the build found, 0 when all vectors are looked at; and the bytes of the index. */
  facts(): { readonly efSearch: number; readonly bytes: number };
  /** For each width the recall@10, and the CPU of a query for ten, µs. */
  curve(queries: Queries, widths: readonly number[]): Width[];
}

export interface Width {
  readonly efSearch: number;
  readonly recall: number;
  readonly micros: number;
}

export function ours({ vectors, dimensions }: Catalogue): Ours {
  // Also where training would look at all vectors, as they are few.
  const indexes = hnswIndexes({ exactUpTo: 0 });
  let index: BuiltVectorIndex | undefined;
  let bytes: Uint8Array = new Uint8Array(0);
  const built = () => {
    if (index === undefined) throw new Error("nothing is built");
    return index;
  };
  return {
    name: "Aisle",
    build() {
      index = undefined;
      return cpuSeconds(() => {
        index = indexes.build(vectors, dimensions, { ...VECTOR_INDEX, seed: SEED });
      });
    },
    answer(queries) {
      const index = built();
      // The first answers are not timed: code is compiled meanwhile.
      const answers = queries.vectors.map((query) => index.search(query, RECALL_AT));
      const each = (k: number) => microsOf(queries.vectors, ROUNDS, (query) => index.search(query, k));
      return { recall: recallOf(answers, queries), ten: each(RECALL_AT), asked: each(ASKED) };
    },
    open() {
      bytes = built().encode();
      const from = performance.now();
      indexes.open(bytes);
      return performance.now() - from;
    },
    facts: () => ({ efSearch: built().efSearch, bytes: bytes.length }),
    curve(queries, widths) {
      const { payload, facts } = decodeIndex(built().encode());
      const graph = openGraph(payload, facts);
      return widths.map((efSearch) => {
        const ask = (query: Float32Array) => graph.search(query, RECALL_AT, Math.max(RECALL_AT, efSearch));
        const recall = recallOf(queries.vectors.map(ask), queries);
        return { efSearch, recall, micros: microsOf(queries.vectors, ROUNDS, ask) };
      });
    },
  };
}

/** `vectors` is the file of the catalogue's vectors. */
export function hnswlibForPython(python: PythonIndex, vectors: string, { dimensions }: Catalogue): Contender {
  const { m, efConstruction } = VECTOR_INDEX;
  return {
    name: PYTHON,
    build: () => python.build({ file: vectors, dimensions, m, efConstruction, seed: SEED }),
    async answer(queries, efSearch) {
      const answers = await python.search(queries.rows, RECALL_AT, efSearch);
      return {
        recall: recallOf(answers.map(similaritiesOf), queries),
        ten: await python.time(queries.rows, RECALL_AT, efSearch, ROUNDS),
        asked: await python.time(queries.rows, ASKED, efSearch, ROUNDS),
      };
    },
    async open(file) {
      const ms = await python.load(file);
      rmSync(file);
      return ms;
    },
  };
}

/** It finds all by what it is, and needs no build and no file of its own. */
export function exactSearch({ vectors, dimensions }: Catalogue): Contender {
  const index = exactIndex(vectors, dimensions);
  return {
    name: "exact search",
    build: () => Number.NaN,
    answer(queries) {
      const few = queries.vectors.slice(0, EXACT_QUERIES);
      const each = (k: number) => microsOf(few, 1, (query) => index.search(query, k));
      return { recall: 1, ten: each(RECALL_AT), asked: each(ASKED) };
    },
    open: () => Number.NaN,
  };
}

function similaritiesOf({ distances }: { readonly distances: readonly number[] }): Pick<Nearest, "similarities"> {
  return { similarities: Float32Array.from(distances, (distance) => 1 - distance) };
}
