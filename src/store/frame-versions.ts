import { type FrameConfiguration, type FrameToWrite, type FrameVersion, KEPT_VERSIONS } from "../domain/frame.js";
import { type Key, keyOf, ownedKey } from "./keys.js";

interface FrameTables {
  readonly frames: Written<FrameConfiguration>;
  readonly frameVersions: Written<FrameVersion>;
}

/** A table as a unit of work sees it. */
interface Written<T> {
  get(key: Key): T | undefined;
  put(key: Key, value: T): void;
  delete(key: Key): void;
}

/** Key of a second copy of the newest version, which outlives the frame. Sorts after all numbers. */
const LAST = "last";

/** Writes the next version of a frame and removes the version beyond `KEPT_VERSIONS`. */
export function writeFrame(tables: FrameTables, appId: string, asked: FrameToWrite): FrameConfiguration {
  const before = tables.frames.get(keyOf(appId, asked.frameId));
  const frame = { ...asked, version: lastVersion(tables, appId, asked.frameId, before) + 1 };
  addVersion(tables, appId, { frame, deleted: false });
  tables.frames.put(keyOf(appId, asked.frameId), frame);
  return frame;
}

/** Removes a frame and keeps its versions; false when it does not exist. */
export function removeFrame(tables: FrameTables, appId: string, frameId: string, at: number): boolean {
  const before = tables.frames.get(keyOf(appId, frameId));
  if (before === undefined) return false;
  const version = lastVersion(tables, appId, frameId, before) + 1;
  addVersion(tables, appId, { frame: { ...before, version, updatedAt: at }, deleted: true });
  tables.frames.delete(keyOf(appId, frameId));
  return true;
}

/** The newest version. A frame written before versions existed counts as its own first version. */
function lastVersion(
  tables: FrameTables,
  appId: string,
  frameId: string,
  before: FrameConfiguration | undefined,
): number {
  const last = tables.frameVersions.get(ownedKey(appId, frameId, LAST))?.frame.version;
  if (last !== undefined || before === undefined) return last ?? 0;
  addVersion(tables, appId, { frame: before, deleted: false });
  return before.version;
}

function addVersion({ frameVersions }: FrameTables, appId: string, written: FrameVersion): void {
  const { frameId, version } = written.frame;
  frameVersions.put(ownedKey(appId, frameId, numberText(version)), written);
  frameVersions.put(ownedKey(appId, frameId, LAST), written);
  if (version > KEPT_VERSIONS) frameVersions.delete(ownedKey(appId, frameId, numberText(version - KEPT_VERSIONS)));
}

/** The versions among the records of a frame, newest first. */
export function versionsOf(rows: readonly { readonly key: Key; readonly value: FrameVersion }[]): FrameVersion[] {
  return rows
    .filter(({ key }) => !key.endsWith(`\0${LAST}`))
    .map(({ value }) => value)
    .reverse();
}

/** Text that sorts like the numbers. */
function numberText(version: number): string {
  return String(version).padStart(10, "0");
}
