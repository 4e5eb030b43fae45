/**
 * hnswlib-node, where it is installed. It is compiled at its installation, so it is an optional package: a machine without Python 3,
 * make and a C++ compiler does without it, and vectors are compared exactly.
 */
type Hnswlib = Pick<typeof import("hnswlib-node"), "HierarchicalNSW">;
export type Graph = InstanceType<Hnswlib["HierarchicalNSW"]>;

/** Makes an empty graph of so many dimensions for cosine similarity of unit vectors: distances are 1 - similarity. */
export type MakeGraph = (dimensions: number) => Graph;

interface Loaded {
  readonly makeGraph?: MakeGraph;
  /** Why there is none. */
  readonly problem?: string;
}

export const hnswlib: Loaded = await import("hnswlib-node").then(
  ({ default: { HierarchicalNSW } }) => ({ makeGraph: (dimensions: number) => new HierarchicalNSW("ip", dimensions) }),
  (error: unknown) => ({ problem: error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : "no reason" }),
);
