import { Unavailable } from "../../domain/errors.js";

/**
 * The vectors of an answer of `POST …/embeddings`: `{"data": [{"index": 0, "embedding": [0.1, …]}, …]}`, in any order.
 * Throws Unavailable when it is not one vector for each of `count` texts.
 */
export function readEmbeddings(text: string, count: number): Float32Array[] {
  const data = fieldOf(parse(text), "data");
  if (!Array.isArray(data)) throw new Unavailable("the embedding service answered without data");
  const vectors = new Map<number, Float32Array>();
  for (const [place, entry] of data.entries()) {
    const index = fieldOf(entry, "index") ?? place;
    const embedding = fieldOf(entry, "embedding");
    if (typeof index !== "number" || !isNumbers(embedding))
      throw new Unavailable("the embedding service answered with an embedding that is no list of numbers");
    vectors.set(index, Float32Array.from(embedding));
  }
  return Array.from({ length: count }, (_, index) => {
    const vector = vectors.get(index);
    if (vector === undefined) throw new Unavailable("the embedding service answered with too few embeddings");
    return vector;
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unavailable("the embedding service answered with something that is no JSON");
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((element) => typeof element === "number");
}
