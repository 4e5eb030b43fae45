import { Writable } from "node:stream";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SenderType } from "../../src/gen/aisle/v1/event_pb.js";
import { eventIdOf, type FakeServer, startFakeServer, storedEvent } from "./fake-server.js";
import { collector, runCommand } from "./run-command.js";

const TIME = Date.UTC(2026, 0, 2, 3, 4, 5);

let server: FakeServer;
beforeEach(async () => {
  server = await startFakeServer();
});
afterEach(() => server.close());

/** Puts an event in, `ms` after the base time. Its visitor tells it apart. */
function store(number: number, ms = number) {
  server.state.events.push(
    storedEvent({
      eventId: eventIdOf(TIME + ms, number),
      actionType: "product_view",
      eventTime: timestampFromMs(TIME),
      visitor: { fingerprintId: `f${number}` },
    }),
  );
}

const shownVisitors = (text: string) => [...text.matchAll(/fp_ccid=f(\d+)/g)].map((match) => Number(match[1]));
const tail = (...args: string[]) => runCommand(["events", "tail", "--app", "shop", "--server", server.url, ...args]);

describe("aisle events tail", () => {
  it("shows an event as it was understood, and why a value had no effect", async () => {
    server.state.events.push(
      storedEvent({
        eventId: eventIdOf(TIME, 1),
        actionType: "order",
        senderType: SenderType.SERVER,
        eventTime: timestampFromMs(TIME),
        visitor: { clientId: "c1", fingerprintId: "f1" },
        products: [
          { productId: "p1", quantity: 2, price: { amount: "5.00", currency: "EUR" } },
          { sku: "s2", quantity: 1 },
        ],
        order: { orderId: "o\u001b[2J1", status: "paid", payment: { amount: "10", currency: "EUR" } },
        contact: { email: "buyer@shop.example", phone: "+49 123 4567", firstName: "Ann", country: "DE" },
        notes: ["email: not an address"],
      }),
    );
    expect((await tail()).stdout).toBe(
      "2026-01-02 03:04:05Z  order  c_id=c1  fp_ccid=f1  products=[2 x p1 at 5.00 EUR, s2]  order=o [2J1 (paid) paid 10 EUR" +
        `  email=b***@shop.example  phone=***67  name=***  country=DE  sender=server  id=${eventIdOf(TIME, 1)}\n` +
        "    no effect: email: not an address\n",
    );
    const personal = (await tail("--show-personal")).stdout;
    expect(personal).toContain("email=buyer@shop.example  phone=+49 123 4567  name=Ann");
  });

  it("shows the newest events, oldest of them first", async () => {
    for (let number = 1; number <= 30; number++) store(number);
    expect(shownVisitors((await tail("--limit", "3")).stdout)).toEqual([28, 29, 30]);
  });

  it("says on stderr that there are no events yet", async () => {
    expect(await tail()).toEqual({ exitCode: 0, stdout: "", stderr: "No events yet\n" });
  });

  it("shows the events of one visitor only", async () => {
    for (const number of [1, 2, 3]) store(number);
    expect(shownVisitors((await tail("--visitor", "f2")).stdout)).toEqual([2]);
  });

  it("prints one JSON object a line", async () => {
    store(1);
    store(2);
    const lines = (await tail("--json")).stdout.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).visitor.fingerprintId)).toEqual(["f1", "f2"]);
  });

  /** Follows while `steps` run between the looks, then presses Ctrl-C. */
  async function follow(limit: number, steps: readonly (() => void)[]) {
    const { output, text } = collector();
    const stop = new AbortController();
    const waiting = [...steps];
    const sleep = async () => {
      const step = waiting.shift();
      if (step) step();
      else stop.abort();
    };
    const args = ["events", "tail", "--app", "shop", "--server", server.url, "--follow", "--limit", String(limit)];
    const { exitCode } = await runCommand(args, { stdout: output, sleep, signal: stop.signal });
    return { exitCode, shown: shownVisitors(text()) };
  }

  it("shows with --follow every new event once, and none older than the first ones shown", async () => {
    for (const number of [1, 2, 3]) store(number);
    const { exitCode, shown } = await follow(2, [
      () => store(4),
      () => {},
      () => {
        for (let number = 5; number < 505; number++) store(number, number * 50);
      },
    ]);
    expect(exitCode).toBe(130);
    expect(shown).toEqual(Array.from({ length: 503 }, (_, at) => at + 2));
  });

  it("starts from now with --follow when no earlier events are asked for", async () => {
    store(1);
    expect((await follow(0, [() => store(2)])).shown).toEqual([2]);
  });

  it("stops following when its output is closed", async () => {
    store(1);
    const closed = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" })),
    });
    const args = ["events", "tail", "--app", "shop", "--server", server.url, "--follow"];
    const { exitCode, stderr } = await runCommand(args, { stdout: closed });
    expect([exitCode, stderr]).toEqual([0, ""]);
  });

  it("follows an app that has no events yet", async () => {
    expect((await follow(20, [() => store(1), () => store(2)])).shown).toEqual([1, 2]);
  });

  it("shows an event that becomes visible after one with a greater id", async () => {
    store(1, 0);
    const late = () => {
      const newer = server.state.events.pop();
      store(2, 500);
      if (newer) server.state.events.push(newer);
    };
    expect((await follow(20, [() => store(3, 1000), late])).shown).toEqual([1, 3, 2]);
  });
});
