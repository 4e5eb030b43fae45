/** Starts a server and times, from the spawn of its process, what can be seen from outside. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { childrenOf } from "../../test/fixtures/child-processes.js";
import { processFigures } from "../process-figures.js";
import { productId } from "../train/shop.js";

/** How often readiness is asked for. */
const POLL_MS = 10;
/** A server that has not answered by then never will. */
const PATIENCE_MS = 180_000;
const MIB = 2 ** 20;

/** Milliseconds from the spawn, unless they say otherwise. */
export interface Ready {
  /** The line that says so was printed. */
  readonly readyMs: number;
  /** The first 200 of GET /readyz. */
  readonly readyzMs: number;
}

export interface Answered extends Ready {
  /** GET /subscription_status, asked after that: its own latency. */
  readonly statusMs: number;
  /** POST /recommend of a product page, asked next: the latency of the first answer. */
  readonly recommendMs: number;
  /** The latency of the same question right after. */
  readonly againMs: number;
  /** When the page had recommended products. */
  readonly recommendedMs: number;
  /** After these answers, MiB: of its own, and with what it has mapped of files. */
  readonly ownMib: number;
  readonly residentMib: number;
}

export interface Started {
  readonly url: string;
  readonly pid: number;
  readonly ready: Ready;
  /** Milliseconds since the spawn. */
  since(): number;
  end(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
}

/** `args` of Node for a port: the process says a line that matches when it is ready, and answers /readyz. */
export async function start(args: (port: number) => readonly string[], readyLine: RegExp): Promise<Started> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const since = () => performance.now() - startedAt;
  const child = spawn(process.execPath, args(port), { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const printed = new Promise<number>((resolve, reject) => {
    let said = "";
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (readyLine.test(said)) resolve(since());
    });
  });
  const [readyMs, readyzMs] = await Promise.all([printed, firstReady(url, since)]);
  return {
    url,
    pid: childrenOf(child.pid)[0] ?? child.pid ?? 0, // of Aisle the process that does the work
    ready: { readyMs, readyzMs },
    since,
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
}

async function firstReady(url: string, since: () => number): Promise<number> {
  while (since() < PATIENCE_MS) {
    const status = await fetch(`${url}/readyz`).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      () => 0, // it does not listen yet
    );
    if (status === 200) return since();
    await pause(POLL_MS);
  }
  throw new Error(`GET /readyz was not 200 within ${PATIENCE_MS / 1000} s`);
}

/** Asks for a status, then for the products of a page until there are some, one request after the other. */
export async function ask({ url, pid, ready, since }: Started, appId: string): Promise<Answered> {
  const statusMs = await timed(async () => {
    const answer = await fetch(`${url}/subscription_status?app_id=${appId}&fpcid=nobody`);
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`GET /subscription_status answered ${answer.status}`);
  });
  const body = JSON.stringify({ appId, productInteractions: [], currentProductIds: productId(0), cId: "nobody" });
  const page = async (): Promise<number> => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}/recommend`, { method: "POST", headers, body });
    const said: { readonly recommended?: readonly unknown[] } = JSON.parse(await answer.text());
    return answer.status === 200 ? (said.recommended?.length ?? 0) : 0;
  };
  let shown = 0;
  const recommendMs = await timed(async () => {
    shown = await page();
  });
  while (shown === 0) {
    if (since() > PATIENCE_MS) throw new Error(`POST /recommend had no products within ${PATIENCE_MS / 1000} s`);
    await pause(POLL_MS);
    shown = await page();
  }
  const recommendedMs = since();
  const againMs = await timed(page);
  const { ownBytes, residentBytes } = await processFigures(pid);
  const memory = { ownMib: ownBytes / MIB, residentMib: residentBytes / MIB };
  return { ...ready, statusMs, recommendMs, againMs, recommendedMs, ...memory };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** It may be taken before it is used, though hardly by anybody. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("there is no port");
  return address.port;
}
