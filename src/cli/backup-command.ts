import type { Command } from "commander";
import { printable, writeLine } from "./output.js";
import type { ProgramDeps } from "./program.js";

export interface BackupRequest {
  /** As given, which may hold a password. */
  readonly store: string | undefined;
  /** A directory that is empty or not there. */
  readonly to: string;
}

/** Makes a copy of an embedded store that opens as one. Rejects, and leaves nothing there, when it cannot be whole. */
export type Backup = (request: BackupRequest, env: Readonly<Record<string, string | undefined>>) => Promise<void>;

export function addBackupCommand(program: Command, deps: ProgramDeps): void {
  program
    .command("backup")
    .description("copy an embedded store while servers go on")
    .requiredOption("--to <directory>", "where the copy is made; empty or not there yet")
    .option("--store <store>", "embedded:DIR (AISLE_STORE, else embedded:./aisle-data)")
    .addHelpText(
      "after",
      `
Runs on the machine of the store, as a user who may read it. All that was acknowledged before it began is in the copy,
records and models alike; nothing of what was erased. The directory is there only when the copy is whole and on disk.
To restore, stop the servers and start them with the copy as their store: --store embedded:COPY.

Example:
  $ aisle backup --store embedded:/var/lib/aisle --to /backup/aisle-2026-11-21`,
    )
    .action(async ({ store, to }: { readonly store?: string; readonly to: string }) => {
      await deps.backup({ store, to }, deps.env);
      writeLine(deps.stdout, `The store is copied to ${printable(to)}`);
    });
}
