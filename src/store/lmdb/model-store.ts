import { join } from "node:path";
import type { Now } from "../../domain/clock.js";
import { DataDamaged, InvalidArgument, NotFound } from "../../domain/errors.js";
import { snapshotLength } from "../../domain/model.js";
import { checksumOf } from "../checksum.js";
import { newestModelFirst } from "../newest-first.js";
import type { ModelStore } from "../ports/model-store.js";
import { createSnapshotBuffers } from "../snapshot-buffers.js";
import { lostLease } from "../stored-lease.js";
import type { Environment } from "./environment.js";
import { writeFileDurably } from "./files.js";
import { appKey, keyOf } from "./keys.js";
import {
  modelDirectory,
  modelFile,
  pieceLengths,
  type ReadFile,
  readPieces,
  removeFiles,
  storedModels,
} from "./model-files.js";
import type { StoredModel } from "./records.js";
import type { Writer } from "./writer.js";

export interface ModelStoreDeps {
  readonly environment: Environment;
  readonly writer: Writer;
  readonly now: Now;
  /** Returns a unique text, used to name temporary files. */
  readonly newId: () => string;
  readonly onDamage: (table: string) => void;
}

/** Files whose checksums are remembered: those of apps that come and go are read again and again. */
const MAX_CHECKED = 10_000;

/** Compares a file with its checksum, once in this process unless somebody writes to it. */
function createFileChecks() {
  const sound = new Map<string, string>();
  return async (path: string, { pieces, stamp }: ReadFile, checksum: number): Promise<boolean> => {
    const checked = `${stamp} ${checksum}`;
    if (sound.get(path) === checked) return true;
    sound.delete(path);
    if ((await checksumOf(pieces)) !== checksum) return false;
    sound.set(path, checked);
    if (sound.size > MAX_CHECKED) for (const oldest of sound.keys()) if (sound.delete(oldest)) break;
    return true;
  };
}

/** Snapshots are files, since they are too large for values. Their records hold the file's length and checksum. */
export function createModelStore({ environment, writer, now, newId, onDamage }: ModelStoreDeps): ModelStore {
  const { tables } = environment;
  const room = createSnapshotBuffers();
  const isSound = createFileChecks();

  const newestFirstOf = (appId: string): StoredModel[] => storedModels(environment, appId).sort(newestModelFirst);

  return {
    put: async (appId, record, bytes, ofApp, lease) => {
      if (record.sizeBytes !== snapshotLength(bytes))
        throw new InvalidArgument("size_bytes", "invalid", "the length of the bytes");
      const file = modelFile(record.modelId);
      const directory = modelDirectory(environment.directory, appId);
      const refusal = writer.refusal();
      if (refusal !== undefined) throw refusal;
      environment.checkFile(); // otherwise a moved store's directory would be created again, which blocks putting it back
      const app = appKey(appId);
      const madeAt = ofApp ?? tables.apps.get(app)?.createdAt;
      try {
        await writeFileDurably(directory, file, `${file}.${newId()}.tmp`, bytes);
      } catch (error) {
        // The removal of the app takes the directory away.
        if (tables.apps.get(app)?.createdAt !== madeAt) throw new NotFound("app");
        throw error;
      }
      const fileChecksum = await checksumOf(bytes);
      const pieces = bytes.map(({ length }) => length);
      const refused = await writer.run((staged) => {
        // Another app may have taken the id of a removed one.
        if (staged.removals.get(app) !== undefined || staged.apps.get(app)?.createdAt !== madeAt)
          return new NotFound("app");
        const lost = lostLease(staged.leases.get(app), lease);
        if (lost === undefined)
          staged.models.put(keyOf(appId, record.modelId), { record, fileChecksum, pieces, reason: record.reason });
        return lost;
      });
      if (refused === undefined) return;
      await removeFiles(environment, now, appId, new Set([file]));
      throw refused;
    },

    read: async (appId, modelId) => {
      const found = tables.models.get(keyOf(appId, modelId));
      if (found === undefined) return undefined;
      const path = join(modelDirectory(environment.directory, appId), modelFile(modelId));
      const file = await readPieces(path, pieceLengths(found), room).catch((cause: unknown) => {
        onDamage("models");
        throw new DataDamaged(`The file ${path} cannot be read`, { cause });
      });
      if (file !== undefined && (await isSound(path, file, found.fileChecksum))) return file.pieces;
      if (tables.models.get(keyOf(appId, modelId)) === undefined) return undefined; // pruned while it was being read
      onDamage("models");
      throw new DataDamaged(`The file ${path} does not match its checksum`);
    },

    list: async (appId) => newestFirstOf(appId).map(({ record, reason }) => ({ ...record, reason })),

    pointer: async (appId) => tables.pointers.get(appKey(appId)),

    setPointer: (appId, move, lease) =>
      writer.run((staged) => {
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
