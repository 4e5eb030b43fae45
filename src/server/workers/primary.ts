import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { entryOf } from "../installed.js";
import { createLog, type Logger, withoutPersonal } from "../log.js";
import { nodeOptions } from "../machine-limits.js";
import { findPorts, type Ports, type RoleTasks, readyLines, tasksOf } from "../roles.js";
import type { Config } from "../settings/config.js";
import { nameOf } from "../settings/setting.js";
import { SETTINGS } from "../settings/settings.js";
import { DRAIN_MS, type StopSignal, stopSignal } from "../stop-signal.js";
import { readChildOutput } from "./child-output.js";
import { type CrashRecord, openCrashRecord } from "./crash-record.js";
import {
  type KeptProcess,
  keepProcess,
  type ProcessEnd,
  type ProcessEvents,
  type StartedProcess,
  StartFailure,
} from "./process-keeper.js";
import { v8Options } from "./v8-options.js";
import { type FromWorker, LOG_FILE, type ToWorker } from "./worker-messages.js";

/** Longer than a worker needs to stop, once it has closed its ports. */
const KILL_MS = DRAIN_MS + 7_000;
/** The last output of a process may arrive this long after its end. */
const LAST_WORDS_MS = 200;
/** V8 ends a process without memory by the signal of a crash. */
const OUT_OF_MEMORY = /out of memory/i;

/**
 * Runs the process that answers calls. The primary opens no store and answers no call: it holds the ports, and replaces that
 * process when it dies. Before it was ready once, its end is the end of all.
 */
export async function runPrimary(
  config: Config,
  { force, version, say }: { readonly force: boolean; readonly version: string; readonly say: (line: string) => void },
): Promise<void> {
  const children = new Set<Worker>();
  const killAll = () => {
    for (const child of children) child.process.kill("SIGKILL");
  };
  const stop = stopSignal(killAll);
  const logger = createLog(config.logLevel);
  const duties = tasksOf(config);
  const crashes = openCrashes(config, force);
  const ports = await findPorts(config, duties);
  const surrender = createSurrender();
  setUpCluster();
  const start = createStart({ config, duties, ports, children, stop, logger, crashes, surrender });
  const interrupted = Promise.race([stop.signalled, surrender.givenUp]);
  interrupted.catch(() => undefined); // it may come when nobody waits any more
  let kept: KeptProcess | undefined;
  let isStarted = false;
  const startedAt = performance.now();
  try {
    kept = keepProcess({
      start,
      logger,
      isStopping: () => surrender.isGivenUp() || stop.seen(),
      monotonicNow: () => performance.now(),
    });
    const hasDemo = await Promise.race([interrupted, kept.ready]);
    if (stop.seen() || hasDemo === undefined) return;
    for (const line of readyLines(config, duties, ports, hasDemo)) say(line);
    logger.info(startOf(config, ports, version), "started");
    isStarted = true;
    await interrupted;
  } finally {
    stop.ask();
    kept?.cancel();
    await endAll(children, config.preStopMs + KILL_MS, killAll);
    const servedSeconds = Math.round((performance.now() - startedAt) / 1000);
    if (isStarted) logger.info({ version, servedSeconds }, "stopped");
  }
}

/** What the log keeps of a start: no secrets, so a database only by its kind. */
function startOf(config: Config, { facadePort, rpcPort }: Ports, version: string) {
  const store = config.store.kind === "embedded" ? `embedded:${config.store.directory}` : config.store.kind;
  return {
    version,
    node: process.versions.node,
    role: config.role,
    store,
    facadePort,
    rpcPort,
  };
}

/** The decision that no process can open the store: it ends the server. */
interface Surrender {
  /** Rejects with the failure. */
  readonly givenUp: Promise<never>;
  isGivenUp(): boolean;
  giveUp(failure: StartFailure): void;
}

function createSurrender(): Surrender {
  let isGivenUp = false;
  let reject = (_failure: StartFailure) => {};
  const givenUp = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  return {
    givenUp,
    isGivenUp: () => isGivenUp,
    giveUp(failure) {
      isGivenUp = true;
      reject(failure);
    },
  };
}

function setUpCluster(): void {
  // Workers accept connections themselves. Connections that the primary hands out are lost when the worker dies before
  // it takes them, and their callers wait for ever: some 1 in 5,000 at each kill under load ("answer only 200").
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({
    exec: entryOf("worker"),
    args: [],
    execArgv: [...v8Options(nodeOptions()), ...process.execArgv],
    // Not as JSON, which turns Infinity, the setting `off` of a limit, into null.
    serialization: "advanced",
    // The log goes to our standard error, and does not wait for this process. Other text on standard error comes here.
    stdio: Object.assign(["ignore", "inherit", "pipe", "ipc"], { [LOG_FILE]: 2 }),
  });
}

interface StartDependencies {
  readonly config: Config;
  readonly duties: RoleTasks;
  readonly ports: Ports;
  /** Those that run: two, while one takes the place of another. */
  readonly children: Set<Worker>;
  readonly stop: StopSignal;
  readonly logger: Logger;
  readonly crashes: CrashRecord | undefined;
  readonly surrender: Surrender;
}

/** Starts a process and tells `events` of its life. */
function createStart(deps: StartDependencies): (events: ProcessEvents) => StartedProcess {
  const { config, duties, ports, children, stop, logger } = deps;
  let storeId: string | undefined;
  return (events) => {
    const child = cluster.fork();
    const { pid } = child.process;
    const tell = (message: ToWorker) => void child.send(message, undefined, {}, () => undefined);
    const output = readChildOutput(child.process.stderr, (text) =>
      logger.error({ process: pid, text: withoutPersonal(text) }, "a process wrote to stderr"),
    );
    let failure: Failed | undefined;
    children.add(child);
    child.on("error", () => undefined); // its end tells
    child.on("message", (message: FromWorker) => {
      if (message.kind === "hello")
        tell(stop.seen() ? { kind: "stop" } : { kind: "start", config, duties, ports, storeId });
      else if (message.kind === "latched") events.latched(message.reason);
      else if (message.kind === "failed") failure = message;
      else {
        storeId ??= message.storeId;
        events.ready(message.demo);
      }
    });
    child.once("exit", async (code, signal) => {
      children.delete(child);
      await Promise.race([output.ended, pause(LAST_WORDS_MS)]);
      events.ended(endOf(deps, { pid, code, signal }, failure, output.last()));
    });
    return {
      pid,
      stop() {
        tell({ kind: "stop" });
        const late = setTimeout(() => child.process.kill("SIGKILL"), config.preStopMs + KILL_MS).unref();
        child.once("exit", () => clearTimeout(late));
      },
    };
  };
}

type Failed = Extract<FromWorker, { kind: "failed" }>;

/** Why a process ended. Notes crashes, and gives up after too many of them. */
function endOf(
  { stop, logger, crashes, surrender }: StartDependencies,
  ended: Pick<ProcessEnd, "pid" | "code" | "signal">,
  failure: Failed | undefined,
  said: string | undefined,
): ProcessEnd {
  const reason = failure?.text ?? (said && withoutPersonal(said));
  if (said === undefined || !OUT_OF_MEMORY.test(said)) crashes?.note(ended.signal);
  const refusal = crashes?.refusal();
  if (refusal !== undefined && !surrender.isGivenUp() && !stop.seen()) {
    logger.fatal({ process: ended.pid, code: ended.code, signal: ended.signal, reason }, refusal);
    surrender.giveUp(notOpened(refusal));
  }
  return { ...ended, reason, exitCode: failure?.exitCode ?? 1 };
}

/** Stops all processes, and kills those that have not ended within `killMs`. */
async function endAll(children: ReadonlySet<Worker>, killMs: number, killAll: () => void): Promise<void> {
  const late = setTimeout(killAll, killMs);
  const ended = Array.from(children, (child) => once(child, "exit"));
  for (const child of children) child.send({ kind: "stop" } satisfies ToWorker, undefined, {}, () => undefined);
  await Promise.all(ended);
  clearTimeout(late);
}

function notOpened(refusal: string): StartFailure {
  return new StartFailure(`${nameOf(SETTINGS.store)}: ${refusal}`, 1);
}

/** Throws StartFailure when the store crashed too often to be opened; `force` resets the count. */
function openCrashes({ role, store }: Config, force: boolean): CrashRecord | undefined {
  if (role === "facade" || store.kind !== "embedded") return undefined;
  const crashes = openCrashRecord(store.directory, Date.now);
  if (force) crashes.forget();
  const refusal = crashes.refusal();
  if (refusal !== undefined) throw notOpened(refusal);
  return crashes;
}
