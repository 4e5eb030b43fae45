import { Readable } from "node:stream";
import { Code } from "@connectrpc/connect";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { type BodyRules, chunksOf, createMessageMemory, readBody } from "../../../src/services/wire/request-body.js";
import { RUNS } from "../../fixtures/runs.js";

const KIB = 1024;
const MOST = 1000;
const FRAMED = { uncompressed: undefined };

/** A message with its prefix. */
function message(bytes: number, flags = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flags;
  prefix.writeUInt32BE(bytes, 1);
  return Buffer.concat([prefix, Buffer.alloc(bytes, bytes)]);
}

/** The bytes in pieces of such sizes, in turns. */
async function* pieces(bytes: Buffer, sizes: readonly number[]) {
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const end = at + (sizes[n % sizes.length] ?? 1);
    yield bytes.subarray(at, end);
    at = end;
  }
}

async function* chunks(...all: Uint8Array[]) {
  yield* all;
}

function reading(body: AsyncIterable<Uint8Array>, rules: Partial<BodyRules> & { readMaxBytes?: number } = {}) {
  const { readMaxBytes = 64 * KIB, ...rest } = rules;
  return readBody(body, {
    limits: { readMaxBytes, bodyTimeoutMs: 10_000, streamSilenceMs: 10_000 },
    shared: createMessageMemory(Number.MAX_SAFE_INTEGER, () => {}),
    isStream: true,
    framing: FRAMED,
    inTurn: (work) => work(),
    ...rest,
  });
}

async function all(body: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const given: Uint8Array[] = [];
  for await (const one of body) given.push(one);
  return given;
}

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 500, max: 3000 })), {
  minLength: 1,
  maxLength: 5,
});

describe("a body of messages", () => {
  const given = (bytes: Buffer, cuts: readonly number[]) =>
    all(reading(pieces(bytes, cuts), { readMaxBytes: MOST }).body);

  it("gives them one by one, however the bytes come", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: MOST }), { maxLength: 10 }), sizes, async (lengths, cuts) => {
        const messages = lengths.map((length, n) => message(length, n % 2));
        expect(await given(Buffer.concat(messages), cuts)).toEqual(messages);
      }),
    );
  });

  it("is refused at the prefix of one that is too large", async () => {
    const { body } = reading(pieces(Buffer.concat([message(3), message(MOST + 1)]), [7]), { readMaxBytes: MOST });
    const iterator = body[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toEqual(message(3));
    await expect(iterator.next()).rejects.toMatchObject({
      code: Code.ResourceExhausted,
      rawMessage: "The message is larger than 1000 bytes",
    });
  });

  it("is INVALID_ARGUMENT when the last one is truncated", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 104 }), sizes, async (end, cuts) => {
        const text =
          end < 5 ? "protocol error: incomplete envelope" : `protocol error: promised 100 bytes, received ${end - 5}`;
        await expect(given(message(100).subarray(0, end), cuts)).rejects.toMatchObject({
          code: Code.InvalidArgument,
          rawMessage: text,
        });
      }),
    );
  });
});

/** How much could be taken of an allowance of 64 KiB now. */
function free(shared: ReturnType<typeof createMessageMemory>): number {
  let bytes = 64 * KIB;
  while (!shared.take(bytes)) bytes -= 1;
  shared.take(-bytes);
  return bytes;
}

describe("the memory budget of messages", () => {
  const WHOLE = { isStream: false, framing: undefined };

  it("holds the bytes of one message until it is answered, except 4 KiB", async () => {
    const shared = createMessageMemory(64 * KIB, () => {});
    const call = reading(chunks(Buffer.alloc(20 * KIB), Buffer.alloc(10 * KIB)), { ...WHOLE, shared });
    await all(call.body);
    expect(free(shared)).toBe(38 * KIB);
    call.release();
    expect(free(shared)).toBe(64 * KIB);
  });

  it("rejects calls with UNAVAILABLE and a retry delay when others use it up, and admits small calls", async () => {
    const onFull = vi.fn();
    const shared = createMessageMemory(64 * KIB, onFull);
    const large = reading(chunks(Buffer.alloc(60 * KIB)), { ...WHOLE, shared });
    await all(large.body);
    const second = reading(chunks(Buffer.alloc(60 * KIB)), { ...WHOLE, shared });
    await expect(all(second.body)).rejects.toMatchObject({ code: Code.Unavailable, details: [{}, {}] });
    expect(onFull).toHaveBeenCalledOnce();
    second.release();
    expect(await all(reading(chunks(Buffer.alloc(4 * KIB)), { ...WHOLE, shared }).body)).toHaveLength(1);
    large.release();
    expect(free(shared)).toBe(64 * KIB);
  });

  it("holds the last three messages of a stream, in whatever pieces they come", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 2000 }),
        async (lengths, piece) => {
          const shared = createMessageMemory(64 * KIB, () => {});
          const messages = lengths.map((length) => message(length));
          const stream = reading(pieces(Buffer.concat(messages), [piece]), { shared });
          expect(await all(stream.body)).toEqual(messages);
          const held = messages.slice(-3).reduce((sum, { length }) => sum + length, 0);
          expect(free(shared)).toBe(64 * KIB - Math.max(0, held - 4 * KIB));
          stream.release();
          expect(free(shared)).toBe(64 * KIB);
        },
      ),
      { numRuns: RUNS.some },
    );
  });

  it("holds what has come of a message, not what its prefix announces", async () => {
    const shared = createMessageMemory(64 * KIB, () => {});
    const stream = reading(chunks(message(60 * KIB).subarray(0, 10 * KIB)), { shared });
    await expect(all(stream.body)).rejects.toMatchObject({ code: Code.InvalidArgument });
    expect(free(shared)).toBe(58 * KIB);
  });

  it("never rejects a stream that is alone, however long it is", async () => {
    const shared = createMessageMemory(64 * KIB, () => {});
    const stream = reading(chunks(...Array.from({ length: 100 }, () => message(20 * KIB))), { shared });
    expect(await all(stream.body)).toHaveLength(100);
  });

  it("releases the bytes of a call that is over", async () => {
    const shared = createMessageMemory(64 * KIB, () => {});
    const call = reading(chunks(Buffer.alloc(20 * KIB)), { ...WHOLE, shared });
    call.release();
    await all(call.body);
    expect(free(shared)).toBe(64 * KIB);
  });
});

describe("a body that nobody reads to its end", () => {
  it("leaves its request open, so that the answer can still be sent", async () => {
    const request = new Readable({ read() {} });
    request.push(message(3));
    for await (const _ of reading(chunksOf(request)).body) break;
    await new Promise((resolve) => setImmediate(resolve));
    expect(request.destroyed).toBe(false);
  });
});
