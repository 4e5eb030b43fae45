import { createLog, type Logger, writeTo } from "../log.js";
import { runServer, serverMetrics } from "../server.js";
import { stopSignal } from "../stop-signal.js";
import { hardExit } from "./hard-exit.js";
import { type FromWorker, LOG_FILE, type ToWorker } from "./worker-messages.js";

// Entry of the processes that the primary starts: registers, gets its tasks, and stops with the primary.
const stop = stopSignal();
const say = (message: FromWorker) => void process.send?.(message, undefined, {}, () => undefined);
let started = false;

/** Interval at which this process records that it runs. */
const PULSE_MS = 1_000;
/** A pause of this length is logged: the process was stopped, or its machine stood still. */
const PAUSE_MS = 10_000;

function tellPauses(logger: Logger): void {
  let last = performance.now();
  setInterval(() => {
    const ms = Math.round(performance.now() - last);
    last += ms;
    if (ms > PAUSE_MS) logger.warn({ ms }, "this process stood still");
  }, PULSE_MS).unref();
}

async function run({ config, duties, ports, storeId }: Extract<ToWorker, { kind: "start" }>): Promise<void> {
  let exitCode = 0;
  try {
    const logger = createLog(config.logLevel, writeTo(LOG_FILE));
    tellPauses(logger);
    await runServer(config, {
      logger,
      logFile: LOG_FILE,
      metrics: serverMetrics(),
      duties,
      ports,
      stop,
      say: (line) => process.stdout.write(`${line}\n`),
      expectedStoreId: storeId,
      ready: (demo, storeId) => say({ kind: "ready", demo, storeId }),
      latched: (reason) => say({ kind: "latched", reason }),
    });
  } catch (error) {
    exitCode = error instanceof Error && "exitCode" in error && typeof error.exitCode === "number" ? error.exitCode : 1;
    const text = error instanceof Error ? error.message : String(error);
    const failed: FromWorker = { kind: "failed", text, exitCode };
    await new Promise<void>((resolve) => process.send?.(failed, undefined, {}, () => resolve()) ?? resolve());
  }
  process.exit(exitCode);
}

// Node's own listener calls `process.exit` when the primary is gone; see `hardExit`. This one runs before it.
process.prependListener("disconnect", hardExit);

process.on("message", (message: ToWorker) => {
  if (message.kind === "start") {
    started = true;
    void run(message);
  } else if (started) stop.ask();
  else process.exit(0);
});
say({ kind: "hello" });
