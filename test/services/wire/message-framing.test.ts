import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { framedMessages } from "../../../src/services/wire/message-framing.js";

const MOST = 1000;

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

async function given(bytes: Buffer, sizes: readonly number[]): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const one of framedMessages(pieces(bytes, sizes), MOST)) all.push(one);
  return all;
}

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 500, max: 3000 })), {
  minLength: 1,
  maxLength: 5,
});

describe("the framing of messages", () => {
  it("passes messages on one by one, however the bytes come", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: MOST }), { maxLength: 10 }), sizes, async (lengths, cuts) => {
        const messages = lengths.map((length, n) => message(length, n % 2));
        expect(await given(Buffer.concat(messages), cuts)).toEqual(messages);
      }),
    );
  });

  it("passes too large messages on as they come, and all that follows", async () => {
    const bytes = Buffer.concat([message(3), message(MOST + 1), message(2)]);
    const all = await given(bytes, [7]);
    expect(all[0]).toEqual(message(3));
    expect(all[1]).toEqual(bytes.subarray(8, 13));
    expect(all.length).toBeGreaterThan(100);
  });

  it("passes a truncated message on as far as it came", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 104 }), sizes, async (end, cuts) => {
        expect(await given(message(100).subarray(0, end), cuts)).toEqual([message(100).subarray(0, end)]);
      }),
    );
  });
});
