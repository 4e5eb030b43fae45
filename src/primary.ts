import cluster, { type Worker } from "node:cluster";
import { fileURLToPath } from "node:url";
import type { Config } from "./config.js";
import { DUTIES, type Duties, findPorts, readyLines } from "./duties.js";
import { createLog } from "./log.js";
import { DRAIN_MS } from "./server.js";
import { createScrapes } from "./shared-metrics.js";
import { createLimitKeeper } from "./shared-sender-limit.js";
import { stopSignal } from "./stop-signal.js";
import type { FromWorker, ToWorker } from "./worker-messages.js";

/** A process that died is replaced after this long, twice as long each time up to the longest … */
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** … and from the beginning after one that lived so long. */
const LIVED_MS = 60_000;
/** Longer than a worker needs to end by itself, once it has closed its ports. */
const KILL_MS = DRAIN_MS + 7_000;

/** A process could not start; the line is its own. */
class StartFailure extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}

/**
 * Runs `config.workers` processes that share the ports, and with the role `all` one more that trains. This process opens
 * no store and answers no call: it holds the ports, keeps the limit of backend senders, and replaces what dies.
 * Before the first time that all are ready, the end of one is the end of all.
 */
export async function runPrimary(config: Config, say: (line: string) => void): Promise<void> {
  const children = new Set<Worker>();
  const killAll = () => {
    for (const child of children) child.process.kill("SIGKILL");
  };
  const stop = stopSignal(killAll);
  const logger = createLog(config.logLevel);
  const whole = DUTIES[config.role];
  const ports = await findPorts(config, whole);
  const admit = createLimitKeeper(() => performance.now());
  const scrapes = createScrapes(children, (child, message) => child.send(message, undefined, {}, () => undefined));
  const restarts = new Set<NodeJS.Timeout>();
  let allEnded = () => {};
  // Workers accept by themselves. Connections that the primary hands out are lost, and their callers wait for ever, when
  // the worker dies before it has taken them: some 1 in 5,000 at each kill under load ("answer nothing but 200").
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: fileURLToPath(new URL("./worker.js", import.meta.url)), args: [] });

  /**
   * Keeps one process with these duties running. `ready` resolves when the first one is, with whether there is a demo;
   * `begun` then, too, or when it has to wait for its store.
   */
  const keep = (duties: Duties): { readonly begun: Promise<void>; readonly ready: Promise<boolean> } => {
    let begin = () => {};
    const waiting = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const ready = new Promise<boolean>((resolve, reject) => {
      let deaths = 0;
      let wasReady = false;
      const start = () => {
        const child = cluster.fork();
        const startedAt = performance.now();
        const tell = (message: ToWorker) => void child.send(message, undefined, {}, () => undefined);
        let failure = new StartFailure("A process of the server ended before it was ready", 1);
        children.add(child);
        child.on("error", () => undefined); // its end tells
        child.on("message", (message: FromWorker) => {
          if (message.kind === "hello") tell(stop.seen() ? { kind: "stop" } : { kind: "start", config, duties, ports });
          else if (message.kind === "ask")
            tell({ kind: "verdicts", round: message.round, verdicts: message.questions.map(admit) });
          else if (message.kind === "scrape") scrapes.begin(child, message.round);
          else if (message.kind === "figures") scrapes.take(child, message.round, message.figures);
          else if (message.kind === "waiting") begin();
          else if (message.kind === "failed") failure = new StartFailure(message.text, message.exitCode);
          else {
            wasReady = true;
            resolve(message.demo);
          }
        });
        child.once("exit", (code, signal) => {
          children.delete(child);
          scrapes.forget(child);
          if (children.size === 0) allEnded();
          if (stop.seen()) resolve(false);
          else if (!wasReady) reject(failure);
          else {
            deaths = performance.now() - startedAt > LIVED_MS ? 0 : deaths + 1;
            const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.max(0, deaths - 1));
            logger.error({ pid: child.process.pid, code, signal, delay }, "a process ended and is replaced");
            const restart = setTimeout(() => {
              restarts.delete(restart);
              start();
            }, delay);
            restarts.add(restart);
          }
        });
      };
      start();
    });
    const begun = Promise.race([waiting, ready.then(() => undefined)]);
    begun.catch(() => undefined); // whoever waits for one of the two learns of it
    return { begun, ready };
  };

  try {
    // One first, so that the directory and the demo are made once. The others share the port of the first that listens.
    const trainer = whole.training ? keep({ facade: false, rpc: "closed", training: true }) : undefined;
    await trainer?.begun;
    if (stop.seen()) return;
    const others = Array.from({ length: config.workers }, () => keep({ ...whole, training: false }));
    const [hasDemo] = await Promise.all([trainer?.ready ?? false, ...others.map(({ ready }) => ready)]);
    if (stop.seen()) return;
    for (const line of readyLines(config, whole, ports, hasDemo)) say(line);
    await stop.signalled;
  } finally {
    stop.ask();
    for (const restart of restarts) clearTimeout(restart);
    const ended = new Promise<void>((resolve) => {
      allEnded = resolve;
    });
    const late = setTimeout(killAll, config.preStopMs + KILL_MS);
    for (const child of children) child.send({ kind: "stop" } satisfies ToWorker, undefined, {}, () => undefined);
    if (children.size > 0) await ended;
    clearTimeout(late);
  }
}
