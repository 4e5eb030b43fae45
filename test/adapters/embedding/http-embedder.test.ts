import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createHttpEmbedder, type HttpEmbedderOptions } from "../../../src/adapters/embedding/http-embedder.js";
import { Unavailable } from "../../../src/domain/errors.js";

interface Asked {
  readonly authorization: string | undefined;
  readonly body: { readonly model: string; readonly input: string[]; readonly dimensions?: number };
}

type Answer = (asked: Asked, response: ServerResponse, count: number) => void;

/** The vector the fake gives a text: its length and its first character. */
const vectorOf = (text: string) => [text.length, text.charCodeAt(0)];

const embeddings: Answer = ({ body }, response) => {
  const data = body.input.map((text, index) => ({ index, embedding: vectorOf(text) }));
  // Out of order, as the interface allows.
  response.end(JSON.stringify({ data: data.reverse() }));
};

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A service on this machine that notes what it is asked. */
async function service(answer: Answer = embeddings) {
  const asked: Asked[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { authorization } = request.headers;
      asked.push({ authorization, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) });
      answer(asked.at(-1)!, response, asked.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address() as AddressInfo;
  return { asked, url: `http://127.0.0.1:${address.port}/v1/embeddings` };
}

/** An embedder whose pauses are noted instead of waited for. */
function embedder(url: string, options: Partial<HttpEmbedderOptions> = {}) {
  const pauses: number[] = [];
  const sleep = async (ms: number) => void pauses.push(ms);
  const all = { url, model: "small", dimensions: null, key: null, fetch, sleep, random: () => 0.5, now: () => 0 };
  return { pauses, ...createHttpEmbedder({ ...all, ...options }) };
}

const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_asked, response) =>
    void response.writeHead(code, headers).end("sk-secret is not known here");

describe("the HTTP embedder", () => {
  it("returns the vector of each text, in whatever order the service answers", async () => {
    const { url, asked } = await service();
    const vectors = await embedder(url).embed(["tent", "teapot"]);
    expect(vectors.map((vector) => [...vector])).toEqual([vectorOf("tent"), vectorOf("teapot")]);
    expect(asked[0]?.body).toEqual({ model: "small", input: ["tent", "teapot"], encoding_format: "float" });
    expect(asked[0]?.authorization).toBeUndefined();
  });

  it("sends the API key and asks for shorter vectors where that is configured", async () => {
    const { url, asked } = await service();
    await embedder(url, { key: "sk-secret", dimensions: 256 }).embed(["tent"]);
    expect(asked[0]?.authorization).toBe("Bearer sk-secret");
    expect(asked[0]?.body.dimensions).toBe(256);
  });

  it("sends at most 64 texts and about 100,000 characters a request, and nothing for no texts", async () => {
    const { url, asked } = await service();
    const texts = Array.from({ length: 130 }, (_, i) => `${i}`);
    expect(await embedder(url).embed(texts)).toHaveLength(130);
    expect(asked.map(({ body }) => body.input.length)).toEqual([64, 64, 2]);
    await embedder(url).embed(["a".repeat(60_000), "b".repeat(60_000), "c"]);
    expect(asked.slice(3).map(({ body }) => body.input.length)).toEqual([1, 2]);
    expect(await embedder(url).embed([])).toEqual([]);
    expect(asked).toHaveLength(5);
  });

  it("retries after a temporary refusal, with doubling pauses", async () => {
    const { url, asked } = await service((...args) => (args[2] < 4 ? status(503)(...args) : embeddings(...args)));
    const its = embedder(url);
    expect(await its.embed(["tent"])).toHaveLength(1);
    expect(asked).toHaveLength(4);
    expect(its.pauses).toEqual([500, 1000, 2000]);
  });

  it.each([
    ["7", 7000],
    ["Thu, 01 Jan 1970 00:00:20 GMT", 20_000],
    ["soon", 500],
  ])("waits as Retry-After: %s says before it retries", async (header, pause) => {
    const limited = status(429, { "retry-after": header });
    const { url } = await service((...args) => (args[2] === 1 ? limited(...args) : embeddings(...args)));
    const its = embedder(url);
    await its.embed(["tent"]);
    expect(its.pauses).toEqual([pause]);
  });

  it("gives up after six attempts, and at once when the wait would be too long", async () => {
    const { url, asked } = await service(status(500));
    await expect(embedder(url).embed(["tent"])).rejects.toThrow("answered with status 500 (asked 6 times)");
    expect(asked).toHaveLength(6);
    const { url: busy, asked: once } = await service(status(429, { "retry-after": "3600" }));
    await expect(embedder(busy).embed(["tent"])).rejects.toThrow("status 429");
    expect(once).toHaveLength(1);
  });

  it("gives up at once on a permanent refusal, and does not repeat what the service said", async () => {
    const { url, asked } = await service(status(401));
    const error: unknown = await embedder(url, { key: "sk-secret" })
      .embed(["tent"])
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Unavailable);
    expect(String(error)).toBe("Unavailable: the embedding service answered with status 401");
    expect(asked).toHaveLength(1);
  });

  it("follows no redirect, since the API key would go along", async () => {
    const other = await service();
    const { url } = await service(status(307, { location: other.url }));
    await expect(embedder(url, { key: "sk-secret" }).embed(["tent"])).rejects.toThrow(Unavailable);
    expect(other.asked).toEqual([]);
  });

  it("retries when the connection breaks or the answer is late", async () => {
    const { url, asked } = await service((...args) => {
      if (args[2] === 1) args[1].destroy();
      else embeddings(...args);
    });
    expect(await embedder(url).embed(["tent"])).toHaveLength(1);
    expect(asked).toHaveLength(2);
    const late = async () => {
      throw new DOMException("late", "TimeoutError");
    };
    await expect(embedder(url, { fetch: late }).embed(["tent"])).rejects.toThrow("did not answer within 60000 ms");
  });

  it.each([
    ["no JSON", "<html>", "did not answer with JSON"],
    ["no data", "{}", "returned no data"],
    ["too few", '{"data": [{"index": 0, "embedding": [1]}]}', "too few"],
    ["texts for numbers", '{"data": [{"index": 0, "embedding": ["1"]}]}', "not a list of numbers"],
    ["empty vectors", '{"data": [{"index": 0, "embedding": []}]}', "not a list of numbers"],
  ])("rejects an answer that has %s", async (_, body, problem) => {
    const { url } = await service((_asked, response) => void response.end(body));
    await expect(embedder(url).embed(["tent", "teapot"])).rejects.toThrow(problem);
  });

  it("has a name made of address, model and vector length, without the API key", () => {
    const name = embedder("http://h/e", { key: "sk-secret", dimensions: 8 }).name;
    expect(name).toBe("http http://h/e small 8");
  });
});
