/** Products near a vector: indices of products and cosine similarities, both by falling similarity. */
export interface Nearest {
  readonly indices: Uint32Array;
  readonly similarities: Float32Array;
}

/** An immutable index over unit vectors. */
export interface VectorIndex {
  readonly count: number;
  readonly dimensions: number;
  /** The `k` nearest vectors, fewer when there are fewer. `query` is a unit vector of `dimensions` numbers. */
  search(query: Float32Array, k: number): Nearest;
  /** The index as bytes; the same vectors and parameters give the same bytes. An exact index needs few. */
  encode(): Uint8Array;
}

/** A built index, with its measured recall. */
export interface BuiltVectorIndex extends VectorIndex {
  /** Share of the ten nearest that it finds, over a sample of its own vectors; 1 for an exact index. */
  readonly recall: number;
  /** Candidates that a search compares, never less than asked for; 0 when it compares all vectors. */
  readonly efSearch: number;
}

export interface VectorIndexParams {
  /** Links a node keeps. */
  readonly m: number;
  /** Candidates compared while building. */
  readonly efConstruction: number;
  /** Minimum candidates compared while searching: a build with too low recall takes more. */
  readonly efSearch: number;
  readonly seed: number;
}

/**
 * Builds and opens vector indices. `vectors` holds count x dimensions numbers, row by row; each row has length 1. An index may
 * keep the array, which must not change afterwards.
 */
export interface VectorIndexes {
  /** Throws RangeError for rows of another length than 1, NaN and zeros too. */
  build(vectors: Float32Array, dimensions: number, params: VectorIndexParams): BuiltVectorIndex;
  /** Opens the result of `encode` over the vectors of which it was built; throws DataDamaged for anything else. */
  open(bytes: Uint8Array, vectors: Float32Array): VectorIndex;
  /**
   * The same while this thread handles other work. For bytes that were checked, as the store checks a snapshot: their checksum is
   * not computed again.
   */
  openAside(bytes: Uint8Array, vectors: Float32Array): Promise<VectorIndex>;
}
