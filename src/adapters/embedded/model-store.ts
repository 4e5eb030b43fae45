import { join } from "node:path";
import type { Now } from "../../domain/clock.js";
import { Conflict, DataDamaged, InvalidArgument, NotFound } from "../../domain/errors.js";
import type { ModelStore } from "../../ports/model-store.js";
import { checksumOf } from "../store/checksum.js";
import { isHeld } from "../store/lease.js";
import { newestModelFirst } from "../store/newest-first.js";
import { createSnapshotRoom } from "../store/snapshot-room.js";
import type { Environment } from "./environment.js";
import { writeFileDurably } from "./files.js";
import { appKey, keyOf } from "./keys.js";
import { keptModels, modelDirectory, modelFile, readIfThere, removeFiles } from "./model-files.js";
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

/** Snapshots are files, too large for values; their records, with length and checksum of the file, are values. */
export function createModelStore({ environment, writer, now, newId, onDamage }: ModelStoreDeps): ModelStore {
  const { tables } = environment;
  const room = createSnapshotRoom();

  const newestFirstOf = (appId: string): KeptModel[] => keptModels(environment, appId).sort(newestModelFirst);

  return {
    put: async (appId, record, bytes) => {
      if (record.sizeBytes !== bytes.length)
        throw new InvalidArgument("size_bytes", "invalid", "the length of the bytes");
      const file = modelFile(record.modelId);
      const directory = modelDirectory(environment.directory, appId);
      const refusal = writer.refusal();
      if (refusal !== undefined) throw refusal;
      const app = appKey(appId);
      const madeAt = tables.apps.get(app)?.createdAt;
      await writeFileDurably(directory, file, `${file}.${newId()}.tmp`, bytes);
      const fileChecksum = await checksumOf(bytes);
      const isKept = await writer.run((staged) => {
        // Removed meanwhile, and perhaps made again: the new app is another one.
        if (staged.removals.get(app) !== undefined || staged.apps.get(app)?.createdAt !== madeAt) return false;
        staged.models.put(keyOf(appId, record.modelId), { record, fileChecksum });
        return true;
      });
      if (isKept) return;
      await removeFiles(environment, now, appId, new Set([file]));
      throw new NotFound("app");
    },

    read: async (appId, modelId) => {
      const found = tables.models.get(keyOf(appId, modelId));
      if (found === undefined) return undefined;
      const bytes = await readIfThere(join(modelDirectory(environment.directory, appId), modelFile(modelId)), room);
      const isWhole = bytes !== undefined && bytes.length === found.record.sizeBytes;
      if (isWhole && (await checksumOf(bytes)) === found.fileChecksum) return bytes;
      if (tables.models.get(keyOf(appId, modelId)) === undefined) return undefined; // pruned while it was being read
      onDamage("models");
      throw new DataDamaged("A model snapshot does not match its checksum");
    },

    list: async (appId) => newestFirstOf(appId).map((model) => model.record),

    pointer: async (appId) => tables.pointers.get(appKey(appId)),

    setPointer: (appId, pointer, lease) =>
      writer.run((staged) => {
        if (lease !== undefined && !isHeld(staged.leases.get(appKey(appId)), lease))
          throw new Conflict("aborted", "Another process trains this app now");
        staged.pointers.put(appKey(appId), pointer);
      }),

    prune: async (appId, keep) => {
      const removed = await writer.run(
        (staged) => {
          const serving = staged.pointers.get(appKey(appId))?.modelId;
          const ids = newestFirstOf(appId).map((model) => model.record.modelId);
          const old = ids.filter((id, i) => i >= keep && id !== serving);
          for (const id of old) staged.models.delete(keyOf(appId, id));
          return old;
        },
        { frees: true },
      );
      await removeFiles(environment, now, appId, new Set(removed.map(modelFile)));
    },

    activity: async (appId) => tables.activity.get(appKey(appId))?.toString() ?? "",
  };
}
