/**
 * A process that calls as an honest shop does: events over REST and calls over gRPC, one after the other of each. It prints
 * a line when it begins, stops when its input ends, and then prints what it saw, a line of JSON.
 *
 *   node --import tsx test/hostile/honest-load.ts '{"target":{…},"pid":4711}'
 */
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import type { Target } from "./attack.js";

export interface HonestPlan {
  readonly target: Target;
  /** The server's process. */
  readonly pid: number;
}

export type HonestCall = "trace" | "rpc";

/**
 * A call: when it left (ms since 1970), how long its answer took (ms), what came, and for how long the server's main
 * thread ran meanwhile (ms). The last is what the answer would take on a machine that does nothing else, but for waits
 * for the disk: the figure to compare where processors are shared. The system counts it in steps of some 4 ms.
 */
export type Seen = readonly [kind: HonestCall, at: number, ms: number, outcome: string, busyMs: number];

const TIMEOUT_MS = 20_000;
const REST_MS = 10;
const { target, pid }: HonestPlan = JSON.parse(process.argv[2] ?? "");
const { facadePort, rpcPort, appId } = target;

const agent = new Agent({ keepAlive: true });
function trace(n: number): Promise<string> {
  const body = `app_id=${appId}&action_type=product_view&product_ids=p${n % 50}&c_id=c${n % 500}`;
  const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": body.length };
  return new Promise((resolve) => {
    const sent = request({ port: facadePort, host: "127.0.0.1", method: "POST", path: "/trace", headers, agent });
    sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error("no answer in time")));
    sent.once("response", (answer) => answer.resume().once("end", () => resolve(String(answer.statusCode))));
    sent.once("error", (error) => resolve(error.message));
    sent.end(body);
  });
}

const apps = createClient(AppService, createGrpcTransport({ baseUrl: `http://127.0.0.1:${rpcPort}` }));
const rpc = (): Promise<string> =>
  apps.getApp({ appId }, { timeoutMs: TIMEOUT_MS }).then(
    () => "200",
    // A refused stream is UNAVAILABLE by gRPC's rules; connect-node says INTERNAL.
    (error: unknown) =>
      /NGHTTP2_REFUSED_STREAM/.test(String(error)) ? "Unavailable" : Code[ConnectError.from(error).code],
  );

/** How long the server's main thread has run, ms. */
const ranMs = () => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

const seen: Seen[] = [];
let isOver = false;
const loop = async (kind: HonestCall, call: (n: number) => Promise<string>) => {
  for (let n = 0; !isOver; n++) {
    const [at, startedAt, ran] = [Date.now(), performance.now(), ranMs()];
    const outcome = await call(n);
    seen.push([kind, at, performance.now() - startedAt, outcome, ranMs() - ran]);
    await pause(REST_MS);
  }
};

await Promise.all([trace(0), rpc()]);
process.stdout.write("calling\n");
const loops = [loop("trace", trace), loop("rpc", rpc)];
process.stdin.resume().once("end", async () => {
  isOver = true;
  await Promise.all(loops);
  process.stdout.write(`${JSON.stringify(seen)}\n`, () => process.exit(0));
});
