import { existsSync } from "node:fs";
import { join } from "node:path";
import { Unavailable } from "../../domain/errors.js";
import { mendContactKeys } from "./contact-keys.js";
import { openEnvironment } from "./environment.js";

/** Repairs the index of contacts, in one transaction. Returns the number of changed records. */
export async function repairEmbedded(directory: string): Promise<number> {
  if (!existsSync(join(directory, "data.mdb"))) throw new Unavailable("The directory holds no store");
  const environment = await openEnvironment(directory, false, () => undefined);
  try {
    let changed = 0;
    await environment.transact(() => {
      changed = mendContactKeys(environment.tables);
    });
    return changed;
  } finally {
    await environment.close();
  }
}
