import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Makes the names in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a directory and those above it, readable for their owner only, and makes their names durable. */
export async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made));
}

/** Writes a file so that after a crash it is there whole or not at all: write, sync, rename, sync the directory. */
export async function writeFileDurably(
  directory: string,
  name: string,
  temporaryName: string,
  bytes: Uint8Array,
): Promise<void> {
  await makeDirectory(directory);
  const temporary = join(directory, temporaryName);
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, join(directory, name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(directory);
}
