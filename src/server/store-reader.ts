import { DomainError } from "../domain/errors.js";
import type { Finding } from "../domain/finding.js";
import { examineEmbedded } from "../store/lmdb/doctor.js";
import { type SalvageProgress, type SalvageTask, salvageTables } from "../store/lmdb/salvage.js";
import { type StoreReport, verifyStore } from "../store/lmdb/verify.js";

/** What the process is told to do. */
export type ReaderJob =
  | { readonly kind: "examine"; readonly directory: string }
  | { readonly kind: "verify"; readonly directory: string }
  | { readonly kind: "salvage"; readonly from: string; readonly to: string; readonly tasks: readonly SalvageTask[] };

export type ReaderMessage =
  | { readonly kind: "findings"; readonly findings: readonly Finding[] }
  | { readonly kind: "report"; readonly report: StoreReport }
  | { readonly kind: "progress"; readonly progress: SalvageProgress }
  | { readonly kind: "refused"; readonly text: string };

// Entry of the process that reads a whole embedded store: on a damaged tree LMDB may end it.
const say = (message: ReaderMessage) =>
  new Promise<void>((resolve) => {
    if (process.send === undefined) throw new Error("The store is read by a process of aisle doctor");
    process.send(message, () => resolve());
  });
const job: ReaderJob = JSON.parse(process.argv[2] ?? "");
try {
  if (job.kind === "examine") await say({ kind: "findings", findings: await examineEmbedded(job.directory, Date.now) });
  else if (job.kind === "verify") await say({ kind: "report", report: await verifyStore(job.directory) });
  else
    for await (const progress of salvageTables(job.from, job.to, job.tasks)) await say({ kind: "progress", progress });
} catch (error) {
  await say({ kind: "refused", text: error instanceof DomainError ? error.message : "the store cannot be read" });
}
process.disconnect();
