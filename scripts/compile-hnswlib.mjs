// Compiles hnswlib-node beside a server that has just been installed, when nobody else needs the processor.
import { constants, setPriority } from "node:os";
import { compileHnswlib } from "./setup.mjs";

setPriority(constants.priority.PRIORITY_LOW);
await compileHnswlib();
