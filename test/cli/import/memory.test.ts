import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { EVENT_FIELDS, type EventField, readEvent } from "../../../src/cli/import/event-row.js";
import { createEventAssembler } from "../../../src/cli/import/orders.js";
import { createRejects } from "../../../src/cli/import/rejects.js";
import { type ImportTally, type ItemMaker, runImport } from "../../../src/cli/import/run.js";
import { createSender } from "../../../src/cli/import/sender.js";
import type { Event } from "../../../src/gen/aisle/v1/event_pb.js";

const LINES = 1_000_000;
const CHUNK_LINES = 1000;
/** Far less than the 200 MB the lines alone would take if they were kept, far more than the windows need. */
const BOUND_BYTES = 60_000_000;

function heapAfterCollection(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
  return process.memoryUsage().heapUsed;
}

async function* manyLines(): AsyncGenerator<Buffer> {
  yield Buffer.from("visitor,type,product_id,timestamp,order_id,quantity,price\n");
  for (let from = 0; from < LINES; from += CHUNK_LINES) {
    let text = "";
    for (let at = from; at < from + CHUNK_LINES; at++) {
      // Orders of seven lines that never follow each other, views between them, and a bad line now and then.
      const order = Math.floor(at / 700) * 100 + (at % 100);
      if (at % 1000 === 999) text += "bad line\n";
      else if (at % 3 === 0) text += `v${at},product_view,p${at % 977},1396437466.940,,,\n`;
      else text += `,order,p${at % 977},2014-04-02T11:17:46Z,${order},2,"1,5"\n`;
    }
    yield Buffer.from(text);
  }
}

describe("runImport", () => {
  it("imports a million lines in bounded memory", { timeout: 300_000 }, async () => {
    const assembler = createEventAssembler();
    const options = { defaultType: "", defaultCurrency: "", nowMs: Date.UTC(2026, 0, 1) };
    const maker: ItemMaker<EventField, Event> = {
      push: (row, key) => assembler.push(readEvent(row, options), row, key),
      end: () => assembler.end(),
    };
    const counts = { accepted: 0, deduplicated: 0, suppressed: 0 };
    const heaps: number[] = [];
    let sentLines = 0;
    let calls = 0;
    const sender = createSender<Event>({
      call: async (batches) => {
        const items = batches.flat();
        for (const { sources } of items) sentLines += sources.length;
        if (calls++ % 100 === 0) heaps.push(heapAfterCollection());
        return { accepted: items.length, deduplicated: 0, refused: [] };
      },
      onRefused: () => {},
      repeatable: false,
      sleep: async () => {},
      now: () => 0,
      onSlow: () => {},
      onWait: () => {},
      counts,
    });
    const rejects = createRejects({ path: "/dev/null", note: () => {} });
    const tally: ImportTally = { unit: "line", rows: 0, notUtf8: 0 };
    const before = heapAfterCollection();
    await runImport(
      {
        input: {
          name: "lines",
          rejectedPath: "/dev/null",
          totalBytes: null,
          bytesRead: () => 0,
          chunks: manyLines(),
          close: async () => {},
        },
        fields: EVENT_FIELDS,
        maps: [],
        format: undefined,
        takesXml: false,
        maker,
        sender,
        rejects,
        progress: { update: () => {}, note: () => {}, stop: () => {} },
        keySeed: null,
        signal: undefined,
      },
      tally,
    );
    await rejects.close();
    expect(tally.rows).toBe(LINES);
    expect(rejects.count).toBe(LINES / 1000);
    expect(sentLines).toBe(LINES - LINES / 1000);
    expect(heaps.length).toBeGreaterThan(3);
    expect(Math.max(...heaps) - before).toBeLessThan(BOUND_BYTES);
  });
});
