import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { GridFSBucket, type GridFSFile, MongoRuntimeError, ObjectId } from "mongodb";
import type { Now } from "../../domain/clock.js";
import { type SnapshotBytes, snapshotLength } from "../../domain/model.js";
import { keyOf, keysOf } from "../keys.js";
import { createSnapshotBuffers } from "../snapshot-buffers.js";
import { asked, type Connection, LONG_MS } from "./connection.js";
import type { StoredModel } from "./records.js";

/** An interrupted write leaves a file without a record. A younger file may still get its record. */
const ORPHAN_MS = 60 * 60 * 1000;

/** A slower transfer, of 10 MB a second, has failed. */
const LEAST_BYTES_A_MS = 10_000;

/** The bytes of snapshots in GridFS. The name of a file is the key of its model, so it begins with the app. */
export class ModelFiles {
  private readonly bucket: GridFSBucket;
  private readonly room = createSnapshotBuffers();

  constructor(
    private readonly connection: Connection,
    private readonly now: Now,
  ) {
    this.bucket = new GridFSBucket(connection.db, { bucketName: "snapshots" });
  }

  /** Writes a file and returns its id. */
  async write(appId: string, modelId: string, bytes: SnapshotBytes): Promise<string> {
    const upload = async (): Promise<string> => {
      const metadata = { app: appId, at: this.now() };
      const stream = this.bucket.openUploadStream(keyOf(appId, modelId), { metadata });
      await pipeline(Readable.from(bytes), stream);
      return stream.id.toHexString();
    };
    return asked(this.connection, upload, longFor(snapshotLength(bytes)));
  }

  /** The bytes of a file; undefined when it is not there, not whole, or of another length than its record says. */
  async read({ fileId, record, pieces }: StoredModel): Promise<SnapshotBytes | undefined> {
    const download = async (): Promise<SnapshotBytes | undefined> => {
      // Filled chunk by chunk: joining the chunks at the end would block this thread.
      const bytes = this.room(pieces.length === 0 ? [record.sizeBytes] : pieces);
      let piece = 0;
      let at = 0;
      try {
        for await (const chunk of this.bucket.openDownloadStream(new ObjectId(fileId))) {
          for (let from = 0; from < chunk.length; ) {
            while (at === bytes[piece]?.length) [piece, at] = [piece + 1, 0];
            const into = bytes[piece];
            if (into === undefined) return undefined;
            const part = chunk.subarray(from, from + into.length - at);
            into.set(part, at);
            at += part.length;
            from += part.length;
          }
        }
      } catch (error) {
        if (error instanceof MongoRuntimeError) return undefined; // no such file, or chunks that are missing
        throw error;
      }
      while (at === bytes[piece]?.length) [piece, at] = [piece + 1, 0];
      return piece === bytes.length ? bytes : undefined;
    };
    return asked(this.connection, download, longFor(record.sizeBytes));
  }

  async remove(fileIds: readonly string[]): Promise<void> {
    for (const fileId of fileIds) {
      const remove = async (): Promise<void> => {
        try {
          await this.bucket.delete(new ObjectId(fileId));
        } catch (error) {
          if (!(error instanceof MongoRuntimeError)) throw error;
        }
      };
      await asked(this.connection, remove, LONG_MS);
    }
  }

  /** Removes the app's files that are old and not among those named. */
  async removeOrphans(appId: string, named: ReadonlySet<string>): Promise<void> {
    const due = this.now() - ORPHAN_MS;
    const files = await this.filesOf(appId);
    const old = files.filter((file) => numberIn(file, "at") < due).map((file) => file._id.toHexString());
    await this.remove(old.filter((fileId) => !named.has(fileId)));
  }

  /** Ids of the app's files. */
  async of(appId: string): Promise<string[]> {
    return (await this.filesOf(appId)).map((file) => file._id.toHexString());
  }

  private filesOf(appId: string): Promise<GridFSFile[]> {
    const { start, end } = keysOf(appId);
    return asked(this.connection, () => this.bucket.find({ filename: { $gte: start, $lt: end } }).toArray());
  }
}

/** How long the transfer of so many bytes may take, ms. */
function longFor(length: number): number {
  return LONG_MS + length / LEAST_BYTES_A_MS;
}

/** A number in the metadata; 0 when the field is not a number. */
function numberIn(file: GridFSFile, name: string): number {
  const found: unknown = file.metadata?.[name];
  return typeof found === "number" ? found : 0;
}
