import type { Config } from "./settings/config.js";
import { runPrimary } from "./workers/primary.js";

/**
 * Runs a server until SIGTERM or SIGINT, then drains it. What answers calls is always a process of its own, also when it is the
 * only one: whatever ends it, even a signal, is logged and repaired from outside.
 */
export async function serve(
  config: Config,
  options: { readonly force: boolean; readonly say: (line: string) => void },
): Promise<void> {
  return runPrimary(config, options);
}
