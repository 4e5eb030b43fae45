import { runServer, serverMetrics } from "./server.js";
import { createAskedMetrics } from "./shared-metrics.js";
import { createAskedLimit } from "./shared-sender-limit.js";
import { stopSignal } from "./stop-signal.js";
import type { FromWorker, ToWorker } from "./worker-messages.js";

// Entry of the processes that the primary starts: says hello, is told what to do, and ends with the primary.
const stop = stopSignal();
const say = (message: FromWorker) => void process.send?.(message, undefined, {}, () => undefined);
let started = false;
const senders = createAskedLimit({
  ask: (round, questions) => say({ kind: "ask", round, questions }),
  monotonicNow: () => performance.now(),
});

const metrics = serverMetrics();
const metricsOfAll = createAskedMetrics({ metrics, ask: (round) => say({ kind: "scrape", round }) });

async function run({ config, duties, ports }: Extract<ToWorker, { kind: "start" }>): Promise<void> {
  let exitCode = 0;
  try {
    await runServer(config, {
      metrics,
      metricsOfAll,
      duties,
      ports,
      stop,
      say: (line) => process.stdout.write(`${line}\n`),
      waiting: () => say({ kind: "waiting" }),
      ready: (demo) => say({ kind: "ready", demo }),
      senderLimit: senders.limit,
    });
  } catch (error) {
    exitCode = error instanceof Error && "exitCode" in error && typeof error.exitCode === "number" ? error.exitCode : 1;
    const text = error instanceof Error ? error.message : String(error);
    const failed: FromWorker = { kind: "failed", text, exitCode };
    await new Promise<void>((resolve) => process.send?.(failed, undefined, {}, () => resolve()) ?? resolve());
  }
  process.exit(exitCode);
}

process.on("message", (message: ToWorker) => {
  if (message.kind === "start") {
    started = true;
    void run(message);
  } else if (message.kind === "verdicts") senders.answered(message.round, message.verdicts);
  else if (message.kind === "counted") metricsOfAll.counted(message.round, message.figures);
  else if (message.kind === "count")
    void metrics.figures().then((figures) => say({ kind: "figures", round: message.round, figures }));
  else if (started) stop.ask();
  else process.exit(0);
});
say({ kind: "hello" });
