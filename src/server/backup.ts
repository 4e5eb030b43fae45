import { access, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Backup } from "../cli/backup-command.js";
import { UsageFailure } from "../cli/errors.js";
import { InvalidArgument } from "../domain/errors.js";
import { backupStore } from "../store/lmdb/backup.js";
import { ConfigError, readConfig, SETTINGS } from "./settings/config.js";
import { readBeside } from "./store-owner.js";

/**
 * `aisle backup`: copies the store that `aisle serve` would use with this environment.
 *
 * @throws ConfigError when it is not embedded or does not exist, UsageFailure when the target exists already
 */
export const backUp: Backup = async ({ store, to }, env) => {
  const location = readConfig({ store }, env).store;
  if (location.kind !== "embedded") {
    throw new ConfigError(SETTINGS.store, "embedded:DIR is accepted; back up MongoDB with its own tools");
  }
  try {
    await access(join(location.directory, "data.mdb"));
  } catch {
    throw new ConfigError(SETTINGS.store, "no store is there");
  }
  let isCopied = false;
  try {
    await readBeside(location.directory, async () => {
      if (isCopied) await rm(to, { recursive: true, force: true }); // of pages that were overwritten meanwhile
      await backupStore(location.directory, to);
      isCopied = true;
    });
  } catch (error) {
    if (isCopied) await rm(to, { recursive: true, force: true });
    if (error instanceof InvalidArgument) throw new UsageFailure("--to: an empty or new directory is accepted");
    throw error;
  }
};
