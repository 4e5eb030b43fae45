import { PassThrough } from "node:stream";
import { gzipSync } from "node:zlib";
import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { createBodyReader } from "../../src/facade/body.js";
import { Refused } from "../../src/facade/errors.js";

const LIMITS = { bodyBytes: 100, ownBytes: 10, sharedBytes: 50, promptBytes: 70 };
const atOnce = (work: () => void) => work();

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
    const { stream, result } = begin(createBodyReader(LIMITS, atOnce), 0);
    for (const piece of ["ab", "", "cdef", "g"]) stream.write(piece);
    stream.end();
    expect(String(await result)).toBe("abcdefg");
  });

  it("refuses a body whose declared length is too large before it comes", () => {
    const { payload } = request({ "content-length": "101" });
    createBodyReader(LIMITS, atOnce)(payload, (error) =>
      expect(error).toEqual(new Refused(413, "Request body too large")),
    );
    expect.assertions(1);
  });

  it("refuses a body that grows too large, and one whose sender disconnects", async () => {
    const read = createBodyReader({ ...LIMITS, sharedBytes: 1000 }, atOnce);
    expect(await whole(read, 101)).toEqual(new Refused(413, "Request body too large"));
    const { stream, result } = begin(read, 5);
    stream.destroy();
    expect(await result).toEqual(new Refused(400, "Invalid body"));
  });

  it("refuses large bodies while others use up the shared memory, and accepts small ones", async () => {
    const read = createBodyReader(LIMITS, atOnce);
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
    const read = createBodyReader(LIMITS, atOnce);
    for (let round = 0; round < 3; round++) {
      const { stream, result } = begin(read, 60);
      await turn();
      end(stream);
      await result;
    }
    expect(await whole(read, 60)).toHaveLength(60);
  });

  it("decodes the largest bodies in turn, also when their sender is gone, and the others at once", async () => {
    const works: (() => void)[] = [];
    const read = createBodyReader({ ...LIMITS, sharedBytes: 90 }, (work) => void works.push(work));
    const { stream, result } = begin(read, 71);
    stream.end();
    await turn();
    expect(works).toHaveLength(1);
    stream.destroy();
    expect(await whole(read, 35)).toHaveLength(35);
    expect(await whole(read, 70), "what waits is counted").toMatchObject({ code: Code.Unavailable });
    works[0]?.();
    expect(await result).toHaveLength(71);
    expect(await whole(read, 70)).toHaveLength(70);
  });

  it("counts a compressed body by its decoded size until it is passed on", async () => {
    const works: (() => void)[] = [];
    const read = createBodyReader({ ...LIMITS, sharedBytes: 85 }, (work) => void works.push(work));
    const zipped = (bytes: number) => {
      const { stream, payload } = request({ "content-encoding": "gzip" });
      stream.end(gzipSync(Buffer.alloc(bytes)));
      return new Promise<Buffer | Error>((resolve) =>
        read(payload, (error, body) => resolve(error ?? body ?? Buffer.alloc(0))),
      );
    };
    expect(await zipped(101)).toEqual(new Refused(413, "Request body too large"));
    const waiting = zipped(90);
    await expect.poll(() => works.length).toBe(1); // its turn is that of a large body
    expect(await zipped(60), "the shared bytes are taken").toMatchObject({ code: Code.Unavailable });
    works[0]?.();
    expect(await waiting).toHaveLength(90);
    expect(await zipped(60)).toHaveLength(60);
  });
});
