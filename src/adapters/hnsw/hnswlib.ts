/**
 * hnswlib-node, where it is installed. It is an optional package, because it is compiled at its installation: a machine without
 * Python 3, make and a C++ compiler does without it, and vectors are then compared exactly.
 */
export type Hnswlib = Pick<typeof import("hnswlib-node"), "HierarchicalNSW">;
export type Graph = InstanceType<Hnswlib["HierarchicalNSW"]>;

interface Loaded {
  readonly library?: Hnswlib;
  /** Why there is none. */
  readonly problem?: string;
}

const loaded: Loaded = await import("hnswlib-node").then(
  ({ default: library }) => ({ library }),
  (error: unknown) => ({ problem: error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : "no reason" }),
);

export const { library: installedHnswlib, problem: hnswlibProblem } = loaded;
