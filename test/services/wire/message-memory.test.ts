import { Code } from "@connectrpc/connect";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { countedBody, createMessageMemory } from "../../../src/services/wire/message-memory.js";
import { RUNS } from "../../fixtures/runs.js";

const KIB = 1024;

/** A message of a stream: prefix and so many bytes. */
function message(bytes: number): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(bytes, 1);
  return Buffer.concat([prefix, Buffer.alloc(bytes)]);
}

async function* chunksOf(...chunks: Uint8Array[]) {
  yield* chunks;
}

async function read(body: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.length;
  return bytes;
}

/** How much could be taken of an allowance of 64 KiB now. */
function free(shared: ReturnType<typeof createMessageMemory>): number {
  let bytes = 64 * KIB;
  while (!shared.take(bytes)) bytes -= 1;
  shared.take(-bytes);
  return bytes;
}

describe("the memory budget of messages", () => {
  it("holds the bytes of a unary call until it is answered, except 4 KiB", async () => {
    const shared = createMessageMemory(64 * KIB, () => {});
    const call = countedBody(chunksOf(Buffer.alloc(20 * KIB), Buffer.alloc(10 * KIB)), shared, false);
    expect(await read(call.body)).toBe(30 * KIB);
    expect(free(shared)).toBe(38 * KIB);
    call.release();
    expect(free(shared)).toBe(64 * KIB);
  });

  it("rejects calls with UNAVAILABLE and a retry delay when others use it up, and admits small calls", async () => {
    const onFull = vi.fn();
    const shared = createMessageMemory(64 * KIB, onFull);
    const large = countedBody(chunksOf(Buffer.alloc(60 * KIB)), shared, false);
    await read(large.body);
    const second = countedBody(chunksOf(Buffer.alloc(60 * KIB)), shared, false);
    await expect(read(second.body)).rejects.toMatchObject({ code: Code.Unavailable, details: [{}, {}] });
    expect(onFull).toHaveBeenCalledOnce();
    second.release();
    expect(await read(countedBody(chunksOf(Buffer.alloc(4 * KIB)), shared, false).body)).toBe(4 * KIB);
    large.release();
    expect(free(shared)).toBe(64 * KIB);
  });

  it("holds the last three messages of a stream, in whatever pieces they come", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 2000 }),
        async (sizes, piece) => {
          const shared = createMessageMemory(64 * KIB, () => {});
          const bytes = Buffer.concat(sizes.map(message));
          const pieces = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, n) =>
            bytes.subarray(n * piece, (n + 1) * piece),
          );
          const stream = countedBody(chunksOf(...pieces), shared, true);
          expect(await read(stream.body)).toBe(bytes.length);
          const held = sizes.slice(-3).reduce((sum, size) => sum + size, 0);
          expect(free(shared)).toBe(64 * KIB - Math.max(0, held - 4 * KIB));
          stream.release();
          expect(free(shared)).toBe(64 * KIB);
        },
      ),
      { numRuns: RUNS.some },
    );
  });

  it("never rejects a stream that is alone, however long it is", async () => {
    const shared = createMessageMemory(64 * KIB, () => {});
    const stream = countedBody(chunksOf(...Array.from({ length: 100 }, () => message(20 * KIB))), shared, true);
    expect(await read(stream.body)).toBe(100 * (20 * KIB + 5));
  });

  it("releases the bytes of a call that is over", async () => {
    const shared = createMessageMemory(64 * KIB, () => {});
    const call = countedBody(chunksOf(Buffer.alloc(20 * KIB)), shared, false);
    call.release();
    await read(call.body);
    expect(free(shared)).toBe(64 * KIB);
  });
});
