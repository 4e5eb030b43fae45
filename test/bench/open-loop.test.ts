import { readFile } from "node:fs/promises";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { AnswerReader } from "../../bench/open-loop/answer-reader.js";
import { load } from "../../bench/open-loop/load.js";
import type { LoadPlan } from "../../bench/open-loop/plan.js";
import { runLoad } from "../../bench/open-loop/run-load.js";
import { temporaryDirectory } from "../fixtures/server.js";

/** A plan for a server that answers as told. */
async function planFor(answer: RequestListener): Promise<LoadPlan> {
  const server = createServer((request, reply) => {
    request.resume();
    request.once("end", () => answer(request, reply));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/trace`, bodies: ["a=1", "a=2"], connections: 4, seconds: 0.3 };
}

describe("an HTTP answer in the load generator", () => {
  const text =
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Service-Event-Id: 018f-a\r\nConnection: keep-alive\r\n\r\nhello";

  it("is parsed alike however it is cut into pieces", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: text.length - 1 }), { maxLength: 6 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), text.length];
        const reader = new AnswerReader();
        const answers = at.slice(1).map((end, n) => reader.take(text.slice(at[n], end)));
        expect(answers.pop()).toEqual({ status: 200, eventId: "018f-a", hasRetryAfter: false, closes: false });
        expect(answers.every((answer) => answer === undefined)).toBe(true);
      }),
    );
  });

  it("is recognised when it asks to retry later and when it closes the connection", () => {
    const refusal = "HTTP/1.1 503 No\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    expect(new AnswerReader().take(refusal)).toEqual({ status: 503, eventId: "", hasRetryAfter: true, closes: true });
  });
});

describe("the load generator", () => {
  it("counts each request once: by status, by refusals without Retry-After, by event id", async () => {
    let n = 0;
    const plan = await planFor((_request, reply) => {
      n++;
      if (n % 3 === 0) reply.statusCode = 503;
      else reply.setHeader("x-service-event-id", `id-${n}`);
      if (n % 6 === 0) reply.setHeader("retry-after", "1");
      if (n % 7 === 0) reply.setHeader("connection", "close");
      reply.end("x");
    });
    const idsFile = join(await temporaryDirectory(), "ids");
    const report = await load({ ...plan, idsFile, rate: 200 });
    const ids = (await readFile(idsFile, "utf8")).trimEnd().split("\n");
    expect(n).toBe(60);
    expect(report.statuses).toEqual({ 200: 40, 503: 20 });
    expect(report.refusedWithoutRetryAfter).toBe(10);
    expect(new Set(ids).size).toBe(40);
    expect([report.timeouts, report.lost, report.unsent]).toEqual([0, 0, 0]);
  });

  it("has one request under way on each connection of a closed loop, and no more", async () => {
    const held: ServerResponse[] = [];
    let most = 0;
    const plan = await planFor((_request, reply) => {
      most = Math.max(most, held.push(reply));
      if (held.length < 4) return;
      for (const each of held.splice(0)) each.end("x");
    });
    const { statuses, timeouts } = await runLoad({ ...plan, timeoutMs: 200 });
    expect(most).toBe(4);
    expect(statuses[200]).toBeGreaterThan(4);
    expect(timeouts).toBeLessThan(4);
  });

  it("measures from the time a request was due, also when a stalled server kept it from being sent", async () => {
    let isFirst = true;
    const plan = await planFor((_request, reply) => {
      setTimeout(() => reply.end("x"), isFirst ? 400 : 0);
      isFirst = false;
    });
    const { statuses, ok } = await runLoad({ ...plan, connections: 1, rate: 100 });
    expect(statuses).toEqual({ 200: 30 });
    // Due at 10 ms and later, and sent after the 400 ms of the first.
    expect(ok.p50).toBeGreaterThan(200);
  });

  it("counts only the number of answers for requests due in the warm-up", async () => {
    let isFirst = true;
    const plan = await planFor((_request, reply) => {
      setTimeout(() => reply.end("x"), isFirst ? 300 : 0);
      isFirst = false;
    });
    const report = await runLoad({ ...plan, connections: 8, rate: 100, warmSeconds: 0.2 });
    expect([report.statuses, report.warmAnswers]).toEqual([{ 200: 30 }, 20]);
    expect(report.ok.max).toBeLessThan(290);
  });

  it("gives up requests that are not answered in time, sent or not", async () => {
    const plan = await planFor(() => undefined);
    const report = await runLoad({ ...plan, connections: 2, rate: 40, seconds: 0.25, timeoutMs: 100 });
    expect(report.timeouts + report.unsent).toBe(10);
    expect(report.timeouts).toBeGreaterThanOrEqual(2);
  });

  it("counts requests whose connection ended before the answer, and continues with others", async () => {
    let n = 0;
    const plan = await planFor((request, reply) => {
      if (n++ === 0) request.socket.destroy();
      else reply.end("x");
    });
    const { statuses, lost } = await runLoad({ ...plan, connections: 1, rate: 100, seconds: 0.1 });
    expect([statuses, lost]).toEqual([{ 200: 9 }, 1]);
  });
});
