import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Database } from "lmdb";
import { DataDamaged, InvalidArgument, Unavailable } from "../../domain/errors.js";
import { number, text } from "../schema/kinds.js";
import { checkBytes, codecOf, decode, type RecordCodec } from "./codec.js";
import { type Environment, linkedFolder, openEnvironment } from "./environment.js";
import { DATA_FILE, LOCK_FILE, makeDirectory, syncDirectory } from "./files.js";
import { FORMAT_KEY, FORMAT_NUMBER, FormatUnsupported, STORE_ID_KEY } from "./format.js";
import { after, appIdOf, FIRST, type Key, keyOrder, LAST } from "./keys.js";
import { copySound, modelDirectory, namesIn } from "./model-files.js";
import { entryCount, openDatabase, openRoot } from "./open-root.js";
import { rebuildIndexes } from "./rebuild-indexes.js";
import { TABLE_NAMES } from "./tables.js";

/** The records of one table that could not be read. */
export interface LostRecords {
  readonly table: string;
  /** By LMDB's own count, which may be damaged too. */
  readonly count: number;
  /** The gaps: their app and the last and first readable key around them, "" at either end. Entries that a page hides leave none. */
  readonly parts: readonly { readonly appId: string; readonly after: string; readonly before: string }[];
}

export interface SalvageReport {
  readonly taken: number;
  readonly lost: readonly LostRecords[];
  /** Interactions and model pointers that were removed because they refer to lost records. */
  readonly removed: number;
}

/** Reads a table from `from` on; with `reverse` from its end down to `from`. */
export interface SalvageTask {
  readonly table: string;
  readonly from: Key;
  readonly reverse: boolean;
  /** Entries written at once: what was read since the last write is lost when LMDB ends the process. */
  readonly atOnce: number;
}

/** How far a task has come. */
export interface SalvageProgress {
  readonly task: number;
  readonly taken: number;
  /** The last entry that was copied; undefined before the first. */
  readonly last: Key | undefined;
  readonly gaps: readonly Gap[];
  readonly isDone: boolean;
  /** False when the tree broke off. */
  readonly isWhole: boolean;
  /** Entries of the table by LMDB's count; 0 when it is unreadable. */
  readonly count: number;
}

interface Gap {
  readonly after: Key;
  readonly before: Key;
}

/**
 * Runs `salvageTables` in another process, since LMDB may end it, and answers how far each task has come: those behind the one that
 * ended it have no progress.
 */
export type RunSalvage = (
  from: string,
  to: string,
  tasks: readonly SalvageTask[],
) => Promise<readonly SalvageProgress[]>;

const AT_ONCE = 1000;

/**
 * Creates a sound store in `target` from the readable records of the store in `directory`, and rebuilds its indexes.
 * `directory` is only read; a process that writes meanwhile must hold its pages (`openBeside`). A table is read forwards up to the damage, and then backwards.
 *
 * Rejects with InvalidArgument when `target` exists and is not empty, with DataDamaged when nothing is readable.
 */
export async function salvageStore(directory: string, target: string, run: RunSalvage): Promise<SalvageReport> {
  const to = resolve(target);
  if ((await namesIn(to)).length > 0) {
    throw new InvalidArgument("target", "invalid", "an empty or new directory");
  }
  if (!existsSync(join(directory, DATA_FILE))) throw new Unavailable("The directory holds no store");
  const partial = `${to}.${randomUUID()}.partial`;
  try {
    const outcomes = await readAll(resolve(directory), partial, run);
    if (outcomes.every(({ taken }) => taken === 0)) throw new DataDamaged("Nothing of the store can be read");
    const report = await finish(resolve(directory), partial, outcomes);
    await rm(join(partial, LOCK_FILE), { force: true });
    await makeDirectory(dirname(to));
    await rename(partial, to);
    await syncDirectory(dirname(to));
    return report;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** What became of a table. */
interface Outcome {
  readonly table: string;
  taken: number;
  count: number;
  readonly gaps: Gap[];
}

async function readAll(from: string, to: string, run: RunSalvage): Promise<Outcome[]> {
  const outcomes = new Map<string, Outcome>();
  let tasks: SalvageTask[] = TABLE_NAMES.map((table) => ({ table, from: FIRST, reverse: false, atOnce: AT_ONCE }));
  while (tasks.length > 0) {
    const states = new Map((await run(from, to, tasks)).map((progress) => [progress.task, progress]));
    const next: SalvageTask[] = [];
    let hasEnded = false;
    for (const [n, task] of tasks.entries()) {
      const state = states.get(n);
      if (hasEnded) {
        next.push(task); // the process has ended before
        continue;
      }
      hasEnded = state?.isDone !== true;
      next.push(...takeOver(outcomes, task, state));
    }
    tasks = next;
  }
  return [...outcomes.values()];
}

/** Adds what a task has read to the outcome of its table, and answers what is to be read yet. */
function takeOver(
  outcomes: Map<string, Outcome>,
  task: SalvageTask,
  state: SalvageProgress | undefined,
): SalvageTask[] {
  const { table, reverse, atOnce } = task;
  const outcome = outcomes.get(table) ?? { table, taken: 0, count: 0, gaps: [] };
  outcomes.set(table, outcome);
  outcome.taken += state?.taken ?? 0;
  outcome.count = Math.max(outcome.count, state?.count ?? 0);
  outcome.gaps.push(...(state?.gaps ?? []));
  if (state?.isDone && state.isWhole) return [];
  const last = state?.last;
  // LMDB has ended the process: what was not written yet is read again, one by one.
  if (!state?.isDone && atOnce > 1 && !reverse)
    return [{ table, from: last === undefined ? FIRST : after(last), reverse, atOnce: 1 }];
  const end = last ?? task.from;
  if (!reverse) return [{ table, from: end === FIRST ? FIRST : after(end), reverse: true, atOnce: AT_ONCE }];
  outcome.gaps.push({ after: task.from, before: last ?? LAST });
  return [];
}

/**
 * Copies what can be read of a damaged store into another one, which it makes. LMDB may end the process on a damaged tree. Throws
 * FormatUnsupported for a store of another format.
 */
export async function* salvageTables(
  from: string,
  to: string,
  tasks: readonly SalvageTask[],
): AsyncGenerator<SalvageProgress> {
  const linked = await linkedFolder(from);
  const root = await openedRoot(linked);
  const silent = () => undefined;
  let target: Environment | undefined;
  try {
    const tableOf = (name: string) => attempt(() => openDatabase(root, name));
    const storeId = readMeta(tableOf("meta"));
    target = await openEnvironment(to, false, silent, silent, () => storeId);
    for (const [task, one] of tasks.entries()) {
      const database = tableOf(one.table);
      if (database === undefined)
        yield { task, taken: 0, last: undefined, gaps: [], isDone: true, isWhole: false, count: 0 };
      else for await (const progress of copyTable(database, target, one)) yield { task, ...progress };
    }
  } finally {
    await target?.close();
    await root.close();
    await linked.remove();
  }
}

async function openedRoot(linked: { readonly path: string; remove(): Promise<void> }) {
  try {
    return openRoot(linked.path, true);
  } catch (error) {
    await linked.remove();
    throw error;
  }
}

/** The id of the store, or a new one where it cannot be read. */
function readMeta(meta: Database<Uint8Array, Key> | undefined): string {
  const read = <T>(key: Key, codec: RecordCodec<T>): T | undefined =>
    attempt(() => {
      const bytes = meta?.get(key);
      return bytes && decode(codec, key, bytes, bytes.length);
    });
  const found = read(FORMAT_KEY, codecOf(number)) ?? FORMAT_NUMBER;
  if (found !== FORMAT_NUMBER) {
    const advice = `The store has format ${found}; this version of Aisle repairs format ${FORMAT_NUMBER}`;
    throw new FormatUnsupported(advice, found < FORMAT_NUMBER);
  }
  return read(STORE_ID_KEY, codecOf(text)) ?? randomUUID();
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined; // what cannot be read is counted as lost
  }
}

async function* copyTable(
  database: Database<Uint8Array, Key>,
  target: Environment,
  { table, from, reverse, atOnce }: SalvageTask,
): AsyncGenerator<Omit<SalvageProgress, "task">> {
  const to = Object.values(target.tables).find(({ name }) => name === table);
  const count = attempt(() => entryCount(database)) ?? 0;
  const entries = database
    .getRange(reverse ? { start: LAST, end: from, reverse } : { start: from, end: LAST })
    [Symbol.iterator]();
  const gaps: Gap[] = [];
  let [taken, isDone, isWhole] = [0, false, true];
  let last: Key | undefined;
  let isGap = false;
  while (!isDone) {
    const sound: [Key, Buffer][] = [];
    while (!isDone && sound.length < atOnce) {
      const next = attempt(() => entries.next());
      if (next === undefined) isWhole = false;
      if (next === undefined || next.done === true) {
        isDone = true;
        break;
      }
      const { key, value } = next.value;
      const isInOrder = last === undefined || (reverse ? keyOrder(key, last) < 0 : keyOrder(last, key) < 0);
      if (!isInOrder) [isDone, isWhole] = [true, false];
      else if (attempt(() => [checkBytes(key, value, value.length)]) === undefined) isGap = true;
      else {
        if (isGap) gaps.push(reverse ? { after: key, before: last ?? LAST } : { after: last ?? from, before: key });
        isGap = false;
        last = key;
        sound.push([key, Buffer.from(value.subarray(0, value.length))]);
      }
    }
    await target.transact(() => {
      for (const [key, bytes] of sound) to?.putNow(key, bytes);
    });
    taken += sound.length;
    if (isDone && isGap && isWhole)
      gaps.push(reverse ? { after: from, before: last ?? LAST } : { after: last ?? from, before: LAST });
    yield { taken, last, gaps, isDone, isWhole, count };
  }
}

/** Copies the models, mends the indexes and sums up. */
async function finish(from: string, to: string, outcomes: readonly Outcome[]): Promise<SalvageReport> {
  const silent = () => undefined;
  const environment = await openEnvironment(to, false, silent);
  try {
    const lost = outcomes
      .map(({ table, taken, count, gaps }) => ({ table, count: Math.max(0, count - taken), parts: gaps.map(readable) }))
      .filter(({ count, parts }) => count > 0 || parts.length > 0);
    const models = await copyModels(environment, from);
    if (models > 0) lost.push({ table: "models", count: models, parts: [] });
    let removed = 0;
    await environment.transact(() => {
      removed = rebuildIndexes(environment.tables);
    });
    return { taken: outcomes.reduce((sum, { taken }) => sum + taken, 0), lost, removed };
  } finally {
    await environment.close();
  }
}

/** Copies the model files and drops models without a sound file. Returns the number dropped. */
async function copyModels(environment: Environment, from: string): Promise<number> {
  const { models } = environment.tables;
  const gone: Key[] = [];
  for (const { key, value } of models.entries({ start: FIRST, end: LAST })) {
    const appId = appIdOf(key);
    const to = modelDirectory(environment.directory, appId);
    if (!(await copySound(modelDirectory(from, appId), to, value))) gone.push(key);
  }
  if (gone.length > 0) {
    await environment.transact(() => {
      for (const key of gone) models.removeNow(key);
    });
  }
  return gone.length;
}

function readable({ after, before }: Gap): LostRecords["parts"][number] {
  const own = (key: Key) =>
    key === FIRST || key === LAST ? "" : key.slice(key.indexOf("\0") + 1).replaceAll("\0", " ");
  const known = [after, before].find((key) => key !== FIRST && key !== LAST && key.includes("\0"));
  return { appId: known === undefined ? "" : appIdOf(known), after: own(after), before: own(before) };
}
