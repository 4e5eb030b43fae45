import { PassThrough } from "node:stream";
import { gzipSync } from "node:zlib";
import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { createBodyReader } from "../../src/facade/body.js";
import { Refused } from "../../src/facade/errors.js";

const LIMITS = { bodyBytes: 100, ownBytes: 10, sharedBytes: 50 };

/** A request that sends when it is told to. */
function request(headers: Record<string, string> = {}) {
  const stream = new PassThrough();
  return { stream, payload: Object.assign(stream, { headers }) };
}

type Read = ReturnType<typeof createBodyReader>;

/** Begins to read a body of which so many bytes come, and no end. */
function begin(read: Read, bytes: number) {
  const { stream, payload } = request();
  const result = new Promise<Buffer | Error>((resolve) =>
    read(payload, (error, body) => resolve(error ?? body ?? Buffer.alloc(0))),
  );
  stream.write(Buffer.alloc(bytes));
  return { stream, result };
}

/** Reads a whole body. */
function whole(read: Read, bytes: number): Promise<Buffer | Error> {
  const { stream, result } = begin(read, bytes);
  stream.end();
  return result;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("the body reader", () => {
  it("returns a body unchanged, in however many pieces it comes", async () => {
    const { stream, result } = begin(createBodyReader(LIMITS), 0);
    for (const piece of ["ab", "", "cdef", "g"]) stream.write(piece);
    stream.end();
    expect(String(await result)).toBe("abcdefg");
  });

  it("refuses a body whose declared length is too large before it comes", () => {
    const { payload } = request({ "content-length": "101" });
    const read = () => createBodyReader(LIMITS)(payload, () => undefined);
    expect(read).toThrow(new Refused(413, "Request body too large"));
  });

  it("refuses a body that grows too large, and one whose sender disconnects", async () => {
    const read = createBodyReader({ ...LIMITS, sharedBytes: 1000 });
    expect(await whole(read, 101)).toEqual(new Refused(413, "Request body too large"));
    const { stream, result } = begin(read, 5);
    stream.destroy();
    expect(await result).toEqual(new Refused(400, "Invalid body"));
  });

  it("refuses large bodies while others use up the shared memory, and accepts small ones", async () => {
    const read = createBodyReader(LIMITS);
    const held = begin(read, 60);
    await turn();
    expect(await whole(read, 11)).toMatchObject({ code: Code.Unavailable });
    expect(await whole(read, 10)).toHaveLength(10);
    held.stream.end();
    expect(await held.result).toHaveLength(60);
  });

  it.each([
    ["is read", (stream: PassThrough) => stream.end()],
    ["lost its sender", (stream: PassThrough) => stream.destroy()],
    ["failed", (stream: PassThrough) => stream.destroy(new Error("reset"))],
    ["turned out too large", (stream: PassThrough) => stream.write(Buffer.alloc(100))],
  ])("releases the memory of a body when it %s", async (_, end) => {
    const read = createBodyReader(LIMITS);
    for (let round = 0; round < 3; round++) {
      const { stream, result } = begin(read, 60);
      await turn();
      end(stream);
      await result;
    }
    expect(await whole(read, 60)).toHaveLength(60);
  });

  it("counts a compressed body by its decoded size", async () => {
    const read = createBodyReader({ ...LIMITS, sharedBytes: 85 });
    const zipped = (bytes: number) => {
      const { stream, payload } = request({ "content-encoding": "gzip" });
      stream.end(gzipSync(Buffer.alloc(bytes)));
      return new Promise<Buffer | Error>((resolve) =>
        read(payload, (error, body) => resolve(error ?? body ?? Buffer.alloc(0))),
      );
    };
    expect(await zipped(101)).toEqual(new Refused(413, "Request body too large"));
    const held = begin(read, 60);
    await turn();
    expect(await zipped(60), "the shared bytes are taken").toMatchObject({ code: Code.Unavailable });
    expect(await zipped(40)).toHaveLength(40);
    held.stream.end();
    expect(await held.result).toHaveLength(60);
    expect(await zipped(60)).toHaveLength(60);
  });
});
