import type { Command } from "commander";
import type { CommandDeps } from "./deps.js";
import { printable, writeJson, writeLine } from "./output.js";

export interface BackupRequest {
  /** The address as given; it may hold a password. */
  readonly store: string | undefined;
  /** A directory that is empty or missing. */
  readonly to: string;
}

interface BackupOptions {
  readonly store?: string;
  readonly to: string;
  readonly json?: boolean;
}

/** Copies an embedded store; the copy opens as a store. If the copy cannot be complete, rejects and leaves nothing. */
export type Backup = (request: BackupRequest, env: Readonly<Record<string, string | undefined>>) => Promise<void>;

export function define(backup: Command, deps: CommandDeps & { readonly backup: Backup }): void {
  backup
    .requiredOption("--to <directory>", "directory of the copy; empty or new")
    .option("--store <store>", "embedded:DIR (AISLE_STORE, else embedded:./aisle-data)")
    .option("--json", "print the directory as JSON")
    .addHelpText(
      "after",
      `
Run it on the machine of the store, as a user who may read it. The copy holds all records and models that were
acknowledged before it began, and no erased data. The directory appears only when the copy is complete and on disk.
To restore, stop the servers and start them on the copy: --store embedded:COPY.

Example:
  $ aisle backup --store embedded:/var/lib/aisle --to /backup/aisle-2026-11-21`,
    )
    .action(async ({ store, to, json }: BackupOptions) => {
      await deps.backup({ store, to }, deps.env);
      if (json) writeJson(deps.stdout, { directory: to });
      else writeLine(deps.stdout, `The store is copied to ${printable(to)}`);
    });
}
