import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BadRow, ImportItem } from "../../../src/catalog/feed/rows.js";
import { type BulkCall, createSender, type SendLimits } from "../../../src/cli/import/sender.js";
import { RefusedItemSchema } from "../../../src/gen/aisle/v1/refused_item_pb.js";

const item = (message: number, raw = "x"): ImportItem<number> => ({
  message,
  sources: [{ line: message + 2, raw }],
  key: "",
});

function senderOver(
  call: BulkCall<number>,
  { repeatable = false, limits = null as SendLimits | null, now = (): number => 0 } = {},
) {
  const slow: number[] = [];
  const refused: BadRow[] = [];
  const waits: number[] = [];
  const counts = { accepted: 0, deduplicated: 0, suppressed: 0 };
  const sender = createSender<number>({
    call,
    onRefused: (row) => refused.push(row),
    repeatable,
    sleep: async () => {},
    now,
    onSlow: (items) => slow.push(items),
    onWait: (ms) => waits.push(ms),
    counts,
    ...(limits && { limits }),
  });
  return { sender, refused, waits, slow, counts };
}

const accepted = (batches: readonly (readonly unknown[])[]) => ({
  accepted: batches.flat().length,
  deduplicated: 0,
  refused: [],
});

describe("createSender", () => {
  const eight = () => Array.from({ length: 8 }, (_, at) => item(at));
  const small = { batchItems: 8, batchChars: 1000, callItems: 8 };

  it("halves a repeatable call that was not answered in time until it is, and loses nothing", async () => {
    const sizes: number[] = [];
    const call: BulkCall<number> = async (batches) => {
      sizes.push(batches.flat().length);
      if (batches.flat().length > 2) throw new ConnectError("late", Code.DeadlineExceeded);
      return accepted(batches);
    };
    const { sender, slow, counts } = senderOver(call, { repeatable: true, limits: { ...small } });
    sender.add(eight());
    await sender.end();
    expect(slow.slice(0, 2)).toEqual([4, 2]);
    expect(sizes.filter((size) => size <= 2).reduce((sum, size) => sum + size, 0)).toBe(8);
    expect(counts.accepted).toBe(8);
  });

  it("does not send again what may be stored when a repetition would store it twice", async () => {
    let calls = 0;
    const { sender } = senderOver(
      async () => {
        calls += 1;
        throw new ConnectError("late", Code.DeadlineExceeded);
      },
      { limits: small },
    );
    sender.add(eight());
    await expect(sender.end()).rejects.toThrow("late");
    expect(calls).toBe(1);
  });

  it("sends half as much after a slow call and twice as much after a quick one", async () => {
    let ms = 0;
    const sizes: number[] = [];
    const call: BulkCall<number> = async (batches) => {
      sizes.push(batches.flat().length);
      ms += sizes.length <= 2 ? 11_000 : 100;
      return accepted(batches);
    };
    const { sender } = senderOver(call, { limits: small, now: () => ms });
    for (let round = 0; round < 3; round += 1) {
      sender.add(eight());
      await sender.drain();
    }
    await sender.end();
    expect(sizes).toEqual([8, 4, 2, 2, 8]);
  });

  it("sends every item once, in order, within the limits, one call at a time", async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 20 });
    const limits = fc.record({
      batchItems: fc.integer({ min: 1, max: 4 }),
      batchChars: fc.integer({ min: 1, max: 9 }),
      callItems: fc.integer({ min: 1, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(sizes, limits, async (adds, bounds) => {
        const sent: number[] = [];
        let underWay = 0;
        const { sender, counts } = senderOver(
          async (batches) => {
            expect(++underWay).toBe(1);
            await Promise.resolve();
            underWay -= 1;
            expect(batches.flat().length).toBeLessThanOrEqual(bounds.callItems);
            for (const batch of batches) {
              expect(batch.length).toBeLessThanOrEqual(bounds.batchItems);
              const chars = batch.reduce((sum, { sources }) => sum + sources[0]!.raw.length, 0);
              expect(batch.length === 1 || chars <= bounds.batchChars).toBe(true);
              sent.push(...batch.map(({ message }) => message));
            }
            return accepted(batches);
          },
          { limits: bounds },
        );
        let next = 0;
        for (const size of adds) {
          sender.add(Array.from({ length: size }, () => item(next++, "x".repeat(next % 4))));
          await sender.drain();
        }
        await sender.end();
        expect(sent).toEqual(Array.from({ length: next }, (_, at) => at));
        expect(counts.accepted).toBe(next);
      }),
    );
  });

  it("assigns a rejected item of any call to its lines", async () => {
    const refuseSecond: BulkCall<number> = async (batches) => ({
      ...accepted(batches),
      refused: [create(RefusedItemSchema, { index: 1, field: "product_id", reason: "at most 255 bytes" })],
    });
    const { sender, refused } = senderOver(refuseSecond, {
      limits: { batchItems: 1, batchChars: 99, callItems: 2 },
    });
    sender.add([item(0), item(1), item(2), item(3)]);
    await sender.end();
    expect(refused.map(({ line, reason }) => [line, reason])).toEqual([
      [3, "refused by the server: product_id: at most 255 bytes"],
      [5, "refused by the server: product_id: at most 255 bytes"],
    ]);
  });

  const failing = (code: Code, failures: number, from: number, cause?: Error): BulkCall<number> => {
    let calls = 0;
    return async (batches) => {
      calls += 1;
      if (calls >= from && calls < from + failures) throw new ConnectError("busy", code, undefined, undefined, cause);
      return accepted(batches);
    };
  };
  const refusedConnection = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  const oneByOne = { batchItems: 1, batchChars: 9, callItems: 1 };

  it.each([
    ["the server says that it is busy", 2, undefined],
    ["that is all the server has said yet", 1, undefined],
    ["a server that has answered is gone", 2, refusedConnection],
  ])("retries a repeatable call with growing waits when %s", async (_, from, cause) => {
    const { sender, waits, counts } = senderOver(failing(Code.Unavailable, 3, from, cause), {
      repeatable: true,
      limits: oneByOne,
    });
    sender.add([item(0), item(1), item(2)]);
    await sender.end();
    expect(waits).toEqual([500, 1000, 2000]);
    expect(counts.accepted).toBe(3);
  });

  it.each([
    ["a call that would store events twice", Code.Unavailable, false, 2, undefined],
    ["a server that was never reached", Code.Unavailable, true, 1, refusedConnection],
    ["a mistake of the caller", Code.NotFound, true, 2, undefined],
  ])("fails at once for %s", async (_, code, repeatable, from, cause) => {
    const { sender, waits } = senderOver(failing(code, 1, from, cause), { repeatable, limits: oneByOne });
    sender.add([item(0), item(1)]);
    await expect(sender.end()).rejects.toThrow("busy");
    expect(waits).toEqual([]);
  });
});
