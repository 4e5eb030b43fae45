import { Unavailable } from "../../domain/errors.js";
import type { TextEmbedder } from "../embedder.js";

/** The used part of `fetch`. */
export type Fetch = (
  url: string,
  init: {
    readonly method: "POST";
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly redirect: "error";
    readonly signal: AbortSignal;
  },
) => Promise<Pick<Response, "ok" | "status" | "headers" | "text">>;

export interface HttpEmbedderOptions {
  /** Endpoint, for example `https://api.example.com/v1/embeddings`. */
  readonly url: string;
  readonly model: string;
  /** Length of the vectors, for models that can shorten theirs. */
  readonly dimensions: number | null;
  readonly key: string | null;
  readonly fetch: Fetch;
  /** Resolves after so many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Random numbers in [0, 1), for the pauses only. */
  readonly random: () => number;
  /** Milliseconds since 1970, to read dates of `Retry-After`. */
  readonly now: () => number;
}

const MAX_TEXTS = 64;
const MAX_CHARACTERS = 100_000;
const TIMEOUT_MS = 60_000;
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** A longer wait is left to the next training. */
const LONGEST_WAIT_MS = 300_000;

/**
 * Embeddings by a service with OpenAI's interface (`POST …/embeddings`; many servers offer it, local ones too). Requests of
 * at most 64 texts go one after the other. Temporary refusals (408, 409, 425, 429, 5xx), time-outs and broken connections
 * are retried after the time the service names, else after a random part of a pause that doubles. Other refusals end the
 * call at once.
 */
export function createHttpEmbedder(options: HttpEmbedderOptions): TextEmbedder {
  const { url, model, dimensions, key } = options;
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  };

  const ask = async (texts: readonly string[]): Promise<Float32Array[]> => {
    const body = JSON.stringify({
      model,
      input: texts,
      encoding_format: "float",
      ...(dimensions === null ? {} : { dimensions }),
    });
    for (let attempt = 1; ; attempt++) {
      const answer = await once(body);
      if ("text" in answer) return readEmbeddings(answer.text, texts.length);
      const wait = answer.retryAfterMs ?? options.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
      if (!answer.isPassing || attempt === ATTEMPTS || wait > LONGEST_WAIT_MS) {
        const tries = answer.isPassing ? ` (asked ${attempt} times)` : "";
        throw new Unavailable(`the embedding service ${answer.problem}${tries}`, undefined, { cause: answer.cause });
      }
      await options.sleep(wait);
    }
  };

  const once = async (body: string): Promise<Answer> => {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      // A redirect would send texts and key to an address that nobody configured.
      const response = await options.fetch(url, { method: "POST", headers, body, redirect: "error", signal });
      if (response.ok) return { text: await response.text() };
      const { status } = response;
      // Do not show the body: some services repeat the key in it.
      await response.text();
      return {
        problem: `answered with status ${status}`,
        isPassing: [408, 409, 425, 429].includes(status) || status >= 500,
        retryAfterMs: waitOf(response.headers.get("retry-after"), options.now),
      };
    } catch (cause) {
      const isLate = cause instanceof Error && cause.name === "TimeoutError";
      const problem = isLate ? `did not answer within ${TIMEOUT_MS} ms` : "could not be reached";
      return { problem, isPassing: true, cause };
    }
  };

  return {
    name: `http ${url} ${model}${dimensions === null ? "" : ` ${dimensions}`}`,
    async embed(texts) {
      const vectors: Float32Array[] = [];
      for (const batch of batches(texts)) vectors.push(...(await ask(batch)));
      return vectors;
    },
    close: async () => undefined,
  };
}

type Answer =
  | { readonly text: string }
  | {
      readonly problem: string;
      /** True when a retry may succeed. */
      readonly isPassing: boolean;
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    };

function* batches(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let characters = 0;
  for (const text of texts) {
    if (batch.length === MAX_TEXTS || (batch.length > 0 && characters + text.length > MAX_CHARACTERS)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(text);
    characters += text.length;
  }
  if (batch.length > 0) yield batch;
}

/** `Retry-After` as milliseconds: whole seconds or a date. Undefined when it is absent or neither. */
function waitOf(header: string | null, now: () => number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}

/**
 * The vectors of an answer of `POST …/embeddings`: `{"data": [{"index": 0, "embedding": [0.1, …]}, …]}`, in any order.
 * Throws Unavailable when it is not one vector for each of `count` texts.
 */
function readEmbeddings(text: string, count: number): Float32Array[] {
  const data = fieldOf(parse(text), "data");
  if (!Array.isArray(data)) throw new Unavailable("the embedding service returned no data");
  const vectors = new Map<number, Float32Array>();
  for (const [place, entry] of data.entries()) {
    const index = fieldOf(entry, "index") ?? place;
    const embedding = fieldOf(entry, "embedding");
    if (typeof index !== "number" || !isNumbers(embedding))
      throw new Unavailable("the embedding service returned an embedding that is not a list of numbers");
    vectors.set(index, Float32Array.from(embedding));
  }
  return Array.from({ length: count }, (_, index) => {
    const vector = vectors.get(index);
    if (vector === undefined) throw new Unavailable("the embedding service returned too few embeddings");
    return vector;
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unavailable("the embedding service did not answer with JSON");
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((element) => typeof element === "number");
}
