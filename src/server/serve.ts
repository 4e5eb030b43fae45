import type { Config } from "./settings/config.js";
import { runPrimary } from "./workers/primary.js";

/**
 * Runs a server until SIGTERM or SIGINT, then drains it. A separate process always answers the calls, even a single
 * one: so its end, by a signal too, is logged and repaired from outside.
 */
export async function serve(
  config: Config,
  options: { readonly force: boolean; readonly version: string; readonly say: (line: string) => void },
): Promise<void> {
  return runPrimary(config, options);
}
