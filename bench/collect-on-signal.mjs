/** Loaded into a server by `NODE_OPTIONS=--import`: SIGUSR2 collects its garbage, so that what is left is what it holds. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  process.on("SIGUSR2", () => collect()); // with an argument it would collect young objects alone
}
