import { randomUUID } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DataDamaged, DomainError, InvalidArgument, Unavailable } from "../../domain/errors.js";
import { syncFile } from "./compaction.js";
import { type Environment, openBeside } from "./environment.js";
import { LOCK_FILE, makeDirectory, syncDirectory } from "./files.js";
import { appIdOf } from "./keys.js";
import { copySound, MODELS, modelDirectory, namesIn } from "./model-files.js";

/** A server may prune a model before its file is copied. Then the copy starts again from the newest records. */
const TRIES = 10;

/**
 * Copies a store. A process that writes meanwhile must hold its pages (`openBeside`). The copy holds the records of one commit, including every write confirmed
 * before the call, and the model files that they name. It is compact and holds no bytes of erased records. To restore,
 * open it. `target` appears only when it is complete and on disk. Takes about 3 µs a record; meanwhile the source file
 * grows with every write.
 *
 * Rejects with InvalidArgument when `target` exists and is not empty, with DataDamaged when a model file is damaged, with
 * Unavailable when the copy cannot be written.
 */
export async function backupStore(directory: string, target: string, newId: () => string = randomUUID): Promise<void> {
  const to = resolve(target);
  if ((await namesIn(to)).length > 0) {
    throw new InvalidArgument("target", "invalid", "an empty or new directory");
  }
  const environment = await openBeside(directory, () => undefined);
  const partial = `${to}.${newId()}.partial`;
  try {
    await makeDirectory(dirname(to));
    for (let n = 1; !(await copy(environment, partial)); n++) {
      if (n === TRIES) throw new DataDamaged("A model snapshot is gone or does not match its checksum");
    }
    await rename(partial, to);
    await syncDirectory(dirname(to));
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => undefined); // its name says what it is
    if (error instanceof DomainError) throw error;
    throw new Unavailable("The copy of the store could not be written", undefined, { cause: error });
  } finally {
    await environment.close();
  }
}

/** False when a model file is missing or does not match its record. */
async function copy(environment: Environment, to: string): Promise<boolean> {
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { mode: 0o700 });
  const inspection = environment.inspect();
  try {
    // Files first: they may be pruned at any time, while the inspection keeps the records.
    for (const { key, value } of [...inspection.of(environment.tables.models).entries()]) {
      if (value === undefined) return false;
      const appId = appIdOf(key);
      if (!(await copySound(modelDirectory(environment.directory, appId), modelDirectory(to, appId), value)))
        return false;
    }
    await syncFile(await inspection.copyTo(to));
  } finally {
    inspection.end();
  }
  await rm(join(to, LOCK_FILE), { force: true });
  if ((await namesIn(join(to, MODELS))).length > 0) await syncDirectory(join(to, MODELS));
  await syncDirectory(to);
  return true;
}
