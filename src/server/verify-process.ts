import { DomainError } from "../domain/errors.js";
import { verifyStore } from "../store/lmdb/verify.js";
import type { VerifyMessage } from "./doctor.js";

// Entry of the process that reads a whole embedded store: on a damaged tree LMDB may crash it.
const [directory = ""] = process.argv.slice(2);
const say = (message: VerifyMessage) =>
  new Promise<void>((resolve) => {
    if (process.send === undefined) throw new Error("The verification runs as a process of aisle doctor");
    process.send(message, () => resolve());
  });
try {
  await say({ report: await verifyStore(directory) });
} catch (error) {
  await say({ refused: error instanceof DomainError ? error.message : "the store cannot be read" });
}
process.disconnect();
