import { isDeepStrictEqual } from "node:util";
import {
  type FrameConfiguration,
  type FrameToWrite,
  type FrameVariant,
  type FrameVersion,
  KEPT_VERSIONS,
} from "../domain/frame.js";
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
  const last = lastVersion(tables, appId, asked.frameId, before);
  const frame = { ...asked, version: (last?.version ?? 0) + 1, experimentAt: experimentAt(asked, before, last) };
  addVersion(tables, appId, { frame, deleted: false });
  tables.frames.put(keyOf(appId, asked.frameId), frame);
  return frame;
}

/** Removes a frame and keeps its versions; false when it does not exist. */
export function removeFrame(tables: FrameTables, appId: string, frameId: string, at: number): boolean {
  const before = tables.frames.get(keyOf(appId, frameId));
  if (before === undefined) return false;
  const version = (lastVersion(tables, appId, frameId, before)?.version ?? 0) + 1;
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
): FrameConfiguration | undefined {
  const last = tables.frameVersions.get(ownedKey(appId, frameId, LAST))?.frame;
  if (last !== undefined || before === undefined) return last;
  addVersion(tables, appId, { frame: before, deleted: false });
  return before;
}

/** Other weights go on with an experiment. Any other change of its variants begins one, whatever they are called. */
function experimentAt(
  { variants, updatedAt }: FrameToWrite,
  before: FrameConfiguration | undefined,
  last: FrameConfiguration | undefined,
): number {
  const lastAt = last?.experimentAt ?? 0;
  const isRunning = before !== undefined && before.variants.length > 0;
  const isSame = isRunning && isDeepStrictEqual(withoutWeights(variants), withoutWeights(before.variants));
  return variants.length === 0 || isSame ? lastAt : Math.max(updatedAt, lastAt + 1);
}

function withoutWeights(variants: readonly FrameVariant[]): readonly FrameVariant[] {
  return variants.map((variant) => ({ ...variant, weight: 0 })).sort((a, b) => (a.name < b.name ? -1 : 1));
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
