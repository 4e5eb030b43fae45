import { DataDamaged, InvalidArgument, NotFound } from "../../domain/errors.js";
import { snapshotLength } from "../../domain/model.js";
import { checksumOf } from "../checksum.js";
import { appKey, keyOf } from "../keys.js";
import { newestModelFirst } from "../newest-first.js";
import type { ModelStore } from "../ports/model-store.js";
import { lostLease } from "../stored-lease.js";
import type { Connection } from "./connection.js";
import type { ModelFiles } from "./model-files.js";
import type { StoredModel } from "./records.js";
import type { Tables } from "./tables.js";
import type { Writer } from "./writer.js";
import { activityOf } from "./writer-documents.js";

export interface ModelStoreDeps {
  readonly tables: Tables;
  readonly writer: Writer;
  readonly connection: Connection;
  readonly files: ModelFiles;
  readonly onDamage: (table: string) => void;
}

const MODEL_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** More than an app ever keeps. */
const MAX_MODELS = 10_000;

/** Snapshots are files in GridFS; a record names the file, its length and checksum, the pointer names the record. */
export function createModelStore({ tables, writer, connection, files, onDamage }: ModelStoreDeps): ModelStore {
  const kept = async (appId: string): Promise<StoredModel[]> => {
    const entries = await tables.models.list(appId, "", MAX_MODELS);
    return entries.map((entry) => entry.value).sort(newestModelFirst);
  };

  return {
    put: async (appId, record, bytes, ofApp, lease) => {
      if (record.sizeBytes !== snapshotLength(bytes))
        throw new InvalidArgument("size_bytes", "invalid", "the length of the bytes");
      if (!MODEL_ID.test(record.modelId))
        throw new InvalidArgument("model_id", "invalid", "1 to 128 of A-Z, a-z, 0-9, _ and -");
      const refusal = writer.refusal();
      if (refusal !== undefined) throw refusal;
      const app = appKey(appId);
      const madeAt = ofApp ?? (await tables.apps.get(app))?.createdAt;
      const fileId = await files.write(appId, record.modelId, bytes);
      const pieces = bytes.map(({ length }) => length);
      const { reason } = record;
      const model = { record, fileId, fileChecksum: await checksumOf(bytes), pieces, reason };
      const { useless, refused } = await writer.run(appId, ({ tables: staged }) => {
        // Removed meanwhile, and perhaps made again: the new app is another one.
        if (staged.removals.get(app) !== undefined || staged.apps.get(app)?.createdAt !== madeAt)
          return { useless: fileId, refused: new NotFound("app") };
        const lost = lostLease(staged.leases.get(app), lease);
        if (lost !== undefined) return { useless: fileId, refused: lost };
        const key = keyOf(appId, record.modelId);
        const before = staged.models.get(key);
        staged.models.put(key, model);
        return { useless: before?.fileId, refused: undefined };
      });
      if (useless !== undefined) await files.remove([useless]);
      if (refused !== undefined) throw refused;
    },

    read: async (appId, modelId) => {
      const found = await tables.models.get(keyOf(appId, modelId));
      if (found === undefined) return undefined;
      const bytes = await files.read(found);
      if (bytes !== undefined && (await checksumOf(bytes)) === found.fileChecksum) return bytes;
      const now = await tables.models.get(keyOf(appId, modelId));
      if (now?.fileId !== found.fileId) return undefined; // pruned or replaced while it was being read
      onDamage("models");
      throw new DataDamaged("A model snapshot does not match its checksum");
    },

    list: async (appId) => (await kept(appId)).map(({ record, reason }) => ({ ...record, reason })),

    pointer: (appId) => tables.pointers.get(appKey(appId)),

    setPointer: (appId, move, lease) =>
      writer.run(appId, ({ tables: staged }) => {
        const lost = lostLease(staged.leases.get(appKey(appId)), lease);
        if (lost !== undefined) throw lost;
        const key = appKey(appId);
        const pointer = move(staged.pointers.get(key));
        if (staged.removals.get(key) !== undefined || staged.models.get(keyOf(appId, pointer.modelId)) === undefined)
          throw new NotFound("model");
        staged.pointers.put(key, pointer);
        return pointer;
      }),

    prune: async (appId, keep) => {
      const models = await kept(appId);
      const removed = await writer.run(appId, (draft) => {
        const serving = draft.tables.pointers.get(appKey(appId))?.modelId;
        const there = models.filter(
          ({ record }) => draft.tables.models.get(keyOf(appId, record.modelId)) !== undefined,
        );
        const old = there.filter(({ record }, i) => i >= keep && record.modelId !== serving);
        for (const { record } of old) draft.tables.models.delete(keyOf(appId, record.modelId));
        return old;
      });
      await files.remove(removed.map(({ fileId }) => fileId));
      await files.removeOrphans(appId, new Set((await kept(appId)).map(({ fileId }) => fileId)));
    },

    activity: (appId) => activityOf(connection, appId),
  };
}
