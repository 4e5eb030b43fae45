import fc from "fast-check";
import { RUNS, seed } from "./fixtures/runs.js";

// Every run draws a new seed, in CI as well. The reporter prints it, and for a failure the command that repeats it.
fc.configureGlobal({ seed: seed(), numRuns: RUNS.usual });
