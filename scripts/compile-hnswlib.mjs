// Compiles hnswlib-node beside a server that has just been installed. `npm start` does not wait for it.
import { compileHnswlib } from "./setup.mjs";

await compileHnswlib();
