/** A process that stores events by one design: callers in a closed loop, over one or several apps. Prints its figures. */
import { measure } from "../load.js";
import { DESIGNS, nextView, openRecorder } from "./designs.js";

const [designName, url = "", callers, apps, seconds, process_] = process.argv.slice(2);
const design = DESIGNS.find((one) => one === designName);
if (design === undefined) throw new Error("There is no such design");
const recorder = await openRecorder(design, url);
const appIds = Array.from({ length: Number(apps) }, (_, n) => `shop${n}`);
let next = 0;
const record = async (): Promise<void> => {
  const n = next++;
  await recorder.record(appIds[n % appIds.length] ?? "shop0", nextView(Number(process_), n));
};
await measure(3, Number(callers), record); // connections, compiled code
process.send?.("warm");
await new Promise((resolve) => process.once("message", resolve));
const measured = await measure(Number(seconds), Number(callers), record);
process.send?.(measured);
await recorder.close();
process.disconnect();
