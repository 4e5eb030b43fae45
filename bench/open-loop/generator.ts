import type { LoadPlan, LoadReport } from "./plan.js";
import { runLoad } from "./run-load.js";

/** What a load process says: its report, or why there is none. */
export type Said = { readonly report: LoadReport } | { readonly error: string };

// The process that `load` starts: it is told what to do, does it, says what it saw and ends.
process.once("message", (plan: LoadPlan) => {
  const say = (said: Said) => process.send?.(said, () => process.disconnect());
  runLoad(plan).then(
    (report) => say({ report }),
    (error: unknown) => say({ error: error instanceof Error ? error.message : String(error) }),
  );
});
