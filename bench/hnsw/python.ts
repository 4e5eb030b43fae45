/** hnswlib for Python in a process of its own, that does one thing at a time. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface PythonIndex {
  readonly about: Versions;
  /** Seconds of CPU. */
  build(of: IndexFile): Promise<number>;
  /** Answers to rows of the vectors. */
  search(rows: readonly number[], k: number, efSearch: number): Promise<Answer[]>;
  /** CPU of a query, µs. */
  time(rows: readonly number[], k: number, efSearch: number, rounds: number): Promise<number>;
  /** Saves the index to a file and reads it: ms of the reading. */
  load(file: string): Promise<number>;
  stop(): void;
}

interface Answer {
  /** 1 - similarity, rising. */
  readonly distances: readonly number[];
}

interface Versions {
  readonly python: string;
  readonly hnswlib: string;
  readonly numpy: string;
}

interface IndexFile {
  /** 32-bit numbers, vector by vector. */
  readonly file: string;
  readonly dimensions: number;
  readonly m: number;
  readonly efConstruction: number;
  readonly seed: number;
}

/** `interpreter` must have hnswlib and numpy. */
export async function startPython(interpreter: string): Promise<PythonIndex> {
  const file = join(import.meta.dirname, "reference.py");
  const child = spawn(interpreter, [file], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const failed = new Promise<never>((_, reject) => child.once("error", reject));
  async function heard<T>(): Promise<T> {
    const { value, done } = await Promise.race([lines.next(), failed]);
    if (done === true) throw new Error(`${interpreter} ended`);
    const answer: T = JSON.parse(value);
    return answer;
  }
  function ask<T>(task: string, given: object): Promise<T> {
    child.stdin.write(`${JSON.stringify({ task, ...given })}\n`);
    return heard<T>();
  }
  return {
    about: await heard<Versions>(),
    build: (of) => ask<number>("build", of),
    search: (rows, k, efSearch) => ask<Answer[]>("search", { rows, k, efSearch }),
    time: (rows, k, efSearch, rounds) => ask<number>("time", { rows, k, efSearch, rounds }),
    load: (index) => ask<number>("load", { file: index }),
    stop: () => void child.kill(),
  };
}
