import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { crc32c } from "@node-rs/crc32";
import type { Now } from "../../domain/clock.js";
import { Conflict, DataDamaged, InvalidArgument } from "../../domain/errors.js";
import type { ModelStore } from "../../ports/model-store.js";
import type { Environment } from "./environment.js";
import { syncDirectory, writeFileDurably } from "./files.js";
import { afterPrefix, appKey, keyOf } from "./keys.js";
import { isHeld } from "./lease.js";
import type { KeptModel } from "./records/app.js";
import type { Writer } from "./writer.js";

export interface ModelStoreDeps {
  readonly environment: Environment;
  readonly writer: Writer;
  readonly now: Now;
  /** A text not given before, for the name of a file that is being written. */
  readonly newId: () => string;
  readonly onDamage: (table: string) => void;
}

const FILE_NAME = /^[A-Za-z0-9_-]{1,128}$/;
const SUFFIX = ".snapshot";

/** A file without a record is what a crash left, once it is too old to be one whose record is about to be written. */
const ORPHAN_MS = 60 * 60 * 1000;

/** Where the snapshots of an app are. */
export function modelDirectory(directory: string, appId: string): string {
  return join(directory, "models", fileName("app_id", appId));
}

/** Snapshots are files, too large for values; their records, with length and checksum of the file, are values. */
export function createModelStore({ environment, writer, now, newId, onDamage }: ModelStoreDeps): ModelStore {
  const { tables } = environment;

  const kept = (appId: string): KeptModel[] => {
    const start = keyOf(appId, "");
    return tables.models
      .entries({ start, end: afterPrefix(start) })
      .map((entry) => entry.value)
      .sort(newestFirst);
  };

  return {
    put: async (appId, record, bytes) => {
      if (record.sizeBytes !== bytes.length)
        throw new InvalidArgument("size_bytes", "invalid", "the length of the bytes");
      const name = fileName("model_id", record.modelId);
      const directory = modelDirectory(environment.directory, appId);
      const refusal = writer.refusal();
      if (refusal !== undefined) throw refusal;
      await writeFileDurably(directory, `${name}${SUFFIX}`, `${name}.${newId()}.tmp`, bytes);
      const fileChecksum = crc32c(bytes);
      await writer.run((staged) => staged.models.put(keyOf(appId, record.modelId), { record, fileChecksum }));
    },

    read: async (appId, modelId) => {
      const found = tables.models.get(keyOf(appId, modelId));
      if (found === undefined) return undefined;
      const bytes = await readIfThere(join(modelDirectory(environment.directory, appId), `${modelId}${SUFFIX}`));
      if (bytes !== undefined && bytes.length === found.record.sizeBytes && crc32c(bytes) === found.fileChecksum) {
        return bytes;
      }
      if (tables.models.get(keyOf(appId, modelId)) === undefined) return undefined; // pruned while it was being read
      onDamage("models");
      throw new DataDamaged("A model snapshot does not match its checksum");
    },

    list: async (appId) => kept(appId).map((model) => model.record),

    pointer: async (appId) => tables.pointers.get(appKey(appId)),

    setPointer: (appId, pointer, lease) =>
      writer.run((staged) => {
        if (lease !== undefined && !isHeld(staged, appId, lease))
          throw new Conflict("aborted", "Another process trains this app now");
        staged.pointers.put(appKey(appId), pointer);
      }),

    prune: async (appId, keep) => {
      const removed = await writer.run((staged) => {
        const serving = staged.pointers.get(appKey(appId))?.modelId;
        const ids = kept(appId).map((model) => model.record.modelId);
        const old = ids.filter((id, i) => i >= keep && id !== serving);
        for (const id of old) staged.models.delete(keyOf(appId, id));
        return old;
      });
      await removeFiles(appId, new Set(removed.map((id) => `${id}${SUFFIX}`)));
    },

    activity: async (appId) => tables.activity.get(appKey(appId))?.toString() ?? "",
  };

  /** Removes these files and what interrupted writes left. */
  async function removeFiles(appId: string, removed: ReadonlySet<string>): Promise<void> {
    const directory = modelDirectory(environment.directory, appId);
    const names = await namesIn(directory);
    const records = new Set(kept(appId).map((model) => `${model.record.modelId}${SUFFIX}`));
    for (const name of names) {
      if (records.has(name)) continue;
      const path = join(directory, name);
      if (removed.has(name) || now() - (await writtenAt(path)) > ORPHAN_MS) await rm(path, { force: true });
    }
    if (names.length > 0) await syncDirectory(directory);
  }
}

function newestFirst(a: KeptModel, b: KeptModel): number {
  return b.record.createdAt - a.record.createdAt || (a.record.modelId < b.record.modelId ? 1 : -1);
}

/** An id that is safe as the name of a file. */
function fileName(field: string, id: string): string {
  if (!FILE_NAME.test(id)) throw new InvalidArgument(field, "invalid", "1 to 128 of A-Z, a-z, 0-9, _ and -");
  return id;
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function writtenAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
