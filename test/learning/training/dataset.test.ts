import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Interaction, VisitorHistory } from "../../../src/domain/interaction.js";
import { rowCount, rowOf } from "../../../src/learning/common/rows.js";
import { readDataset } from "../../../src/learning/training/dataset.js";
import { orderOf } from "../../../src/learning/training/dataset-tables.js";
import { bareProduct } from "../../fixtures/bare-product.js";

const IDS = ["a", "b", "c", "d"];
const HOUR = 3_600_000;

async function* once<T>(batch: readonly T[]): AsyncGenerator<readonly T[]> {
  yield batch;
}

const read = (histories: readonly VisitorHistory[], mostSteps?: number) =>
  readDataset(
    "shop",
    { products: { scan: () => once(IDS.map((id) => bareProduct(id))) }, interactions: { scan: () => once(histories) } },
    mostSteps,
  );

/** A visit begins at this hour, with a view a second. */
const visit = (hour: number, ids: string): Interaction[] =>
  [...ids].map((id, second) => ({ type: "product_view", at: hour * HOUR + second * 1000, productIds: [id], ref: "" }));

describe("a training's data", () => {
  it("has sessions by time, each with its visitor's one before", async () => {
    const data = await read([
      { visitorId: "v", interactions: [...visit(1, "ab"), ...visit(5, "c")] },
      { visitorId: "w", interactions: [...visit(0, "dd"), ...visit(3, "a")] },
    ]);
    const sessions = Array.from({ length: rowCount(data.sessions) }, (_, row) =>
      [...rowOf(data.sessions, row)].map((index) => IDS[index]).join(""),
    );
    expect(sessions).toEqual(["d", "ab", "a", "c"]);
    expect([...data.previousSession]).toEqual([-1, -1, 0, 1]);
    expect([...data.sessionRuns]).toEqual([2, 1, 1, 1, 1]);
  });

  it("are those of the newest sessions when there are too many steps, whenever they are dropped", async () => {
    const visits = fc.record({
      visitor: fc.nat(5),
      hour: fc.nat(200),
      ids: fc.stringMatching(/^(ab|ba|abc|cd|dabc)$/),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(visits, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 4, max: 30 }),
        async (some, most) => {
          // One visit each hour, so that no two end at the same time.
          const distinct = [...new Map(some.map((one) => [one.hour, one])).values()].sort((a, b) => a.hour - b.hour);
          const histories = Array.from({ length: 6 }, (_, n) => ({
            visitorId: `v${n}`,
            interactions: distinct.filter(({ visitor }) => visitor === n).flatMap(({ hour, ids }) => visit(hour, ids)),
          }));
          const all = await read(histories);
          let first = rowCount(all.sessions);
          while (first > 0 && all.sessions.items.length - all.sessions.offsets[first - 1]! <= most) first--;
          const droppedUntil = all.sessionEndedAt[first - 1] ?? Number.NEGATIVE_INFINITY;
          const bounded = await read(histories, most);
          expect([...bounded.sessionEndedAt]).toEqual([...all.sessionEndedAt.subarray(first)]);
          expect([...bounded.sessions.items]).toEqual([...all.sessions.items.subarray(all.sessions.offsets[first])]);
          expect([...bounded.sessionRuns]).toEqual([...all.sessionRuns.subarray(all.sessions.offsets[first])]);
          const shifted = [...all.previousSession.subarray(first)].map((row) => (row < first ? -1 : row - first));
          expect([...bounded.previousSession]).toEqual(shifted);
          const kept = all.meetings.at.filter((at) => at >= droppedUntil);
          expect([...bounded.meetings.at].sort()).toEqual([...kept].sort());
          expect(bounded.cutOff).toBe(all.cutOff);
        },
      ),
    );
  });
});

describe("the order of sessions", () => {
  it("is by time, and for equal times that of reading", () => {
    const times = fc.oneof(
      fc.integer({ min: -5, max: 5 }),
      fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }),
      fc.double({ noNaN: true, min: -1e15, max: 1e15 }),
    );
    fc.assert(
      fc.property(fc.array(times), (list) => {
        const least = Math.min(...list);
        const wanted = list.map((_, row) => row).sort((a, b) => list[a]! - least - (list[b]! - least) || a - b);
        expect([...orderOf(Float64Array.from(list))]).toEqual(wanted);
      }),
    );
  });
});
