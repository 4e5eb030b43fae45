import { availableParallelism } from "node:os";
import { setFlagsFromString } from "node:v8";
import type { Config } from "./config.js";
import { DUTIES, findPorts, readyLines } from "./duties.js";
import { runPrimary } from "./primary.js";
import { runServer } from "./server.js";
import { stopSignal } from "./stop-signal.js";

/** Runs a server, in this process or in several that it looks after, until SIGTERM or SIGINT; then drains it. */
export async function serve(config: Config, say: (line: string) => void): Promise<void> {
  // V8 would move what a site in the code makes to the old generation at once, for good, when most of it lived long for a
  // while, as much does while requests wait: each of its objects, and all that they refer to, then waits for a major
  // collection. It asks when a collection ends, so that this has an effect on what runs already.
  setFlagsFromString("--no-allocation-site-pretenuring");
  // V8 marks in threads of its own, and in tasks of its own for 1 ms in each turn of the event loop. Where there is but one
  // processor they take it from requests for a tenth of a second at a time. Without them it marks as much as is allocated.
  if (availableParallelism() === 1) setFlagsFromString("--no-concurrent-marking --no-incremental-marking-task");
  if (config.workers > 1) return runPrimary(config, say);
  const stop = stopSignal();
  const duties = DUTIES[config.role];
  const ports = await findPorts(config, duties);
  const ready = (demo: boolean) => {
    for (const line of readyLines(config, duties, ports, demo)) say(line);
  };
  await runServer(config, { duties, ports, stop, say, ready });
}
