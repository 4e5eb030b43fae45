import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";

/** After a fault a server has so long until it serves as before, without anybody's help. */
const RECOVERY_MS = 60_000;
const ROUND = 100;
const NEEDED = 99;
/** A request without an answer in this time has none. */
const ANSWER_MS = 5_000;

interface Ask {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
}

const ASKED: readonly ((n: number) => Ask)[] = [
  (n) => ({
    method: "POST",
    path: "/trace",
    type: "application/x-www-form-urlencoded",
    body: `app_id=shop&action_type=other&c_id=again-${n}`,
  }),
  () => ({
    method: "POST",
    path: "/recommend",
    type: "application/json",
    body: JSON.stringify({ appId: "shop", productInteractions: [] }),
  }),
  (n) => ({ method: "GET", path: `/subscription_status?app_id=shop&fpcid=again-${n}&force=1` }),
];

/** The status of the answer; 0 without one. Each request has a connection of its own, so that every worker is met. */
function statusOf(facadeUrl: string, { method, path, type, body }: Ask): Promise<number> {
  const url = new URL(path, facadeUrl);
  const headers = { origin: "https://shop.example", ...(type !== undefined && { "content-type": type }) };
  return new Promise((resolve) => {
    const call = request(url, { method, headers, agent: false, signal: AbortSignal.timeout(ANSWER_MS) }, (answer) => {
      answer.resume();
      answer.once("error", () => resolve(0));
      answer.once("end", () => resolve(answer.statusCode ?? 0));
    });
    call.once("error", () => resolve(0));
    call.end(body);
  });
}

/** Asks a hundred times, ten at once. @returns how often each status came */
async function askRound(facadeUrl: string): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  let n = 0;
  const caller = async () => {
    while (n < ROUND) {
      const ask = ASKED[n % ASKED.length]!(n);
      n++;
      const status = await statusOf(facadeUrl, ask);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 10 }, caller));
  return counts;
}

/**
 * Expects of a server with the app `shop`, when a fault has just ended: within RECOVERY_MS at least 99 of 100 requests
 * (events, recommendations, subscription status; each on a new connection) are answered 200, twice in a row; and a log
 * line names what happened. `output` is all that the server printed, or what it printed since the fault began.
 *
 * @returns the ms until the first such round began
 */
export async function expectServesAgain(
  server: { readonly facadeUrl: string; output(): string },
  named: RegExp,
): Promise<number> {
  const ended = performance.now();
  let took: number | undefined;
  for (;;) {
    const began = performance.now() - ended;
    const counts = await askRound(server.facadeUrl);
    if ((counts.get(200) ?? 0) < NEEDED) {
      took = undefined;
      if (began > RECOVERY_MS)
        throw new Error(`${RECOVERY_MS / 1000} s after the fault, answers by status: ${JSON.stringify([...counts])}`);
      await pause(200);
      continue;
    }
    if (took !== undefined) break;
    took = began;
  }
  expect(server.output().split("\n")).toContainEqual(expect.stringMatching(named));
  return took;
}
