import { createHash } from "node:crypto";
import type { App } from "../../domain/app.js";
import type { Now } from "../../domain/clock.js";
import { AlreadyExists, Conflict, InvalidArgument, NotFound } from "../../domain/errors.js";
import { COPIED_TABLES, type CopyMark } from "../ports/copies.js";
import type { Store } from "../ports/store.js";
import { canonicalText } from "./canonical.js";
import { copyTable } from "./copy-table.js";
import { digestTable, type TableDigest } from "./digest.js";
import { copyModels, digestModels } from "./models.js";
import { oldestClaim } from "./rows.js";

/** A table of an app in both stores. */
export interface ComparedTable {
  readonly table: string;
  readonly source: TableDigest;
  readonly target: TableDigest;
}

export interface AppReport {
  readonly appId: string;
  /**
   * `copied`: written and found equal. `equal`: compared only. `differs`: not equal; a copy is then unfinished, and the
   * target does not show the app.
   */
  readonly outcome: "copied" | "equal" | "differs";
  /** True if the copy was finished before, and this run only compared it. */
  readonly wasDone: boolean;
  /** Rows and models that were written or removed. */
  readonly written: number;
  readonly tables: readonly ComparedTable[];
}

export interface MigrationDeps {
  readonly from: Store;
  readonly to: Store;
  readonly now: Now;
  /** A text not given before. */
  readonly newId: () => string;
  /** Makes the target equal to the source also where a copy was finished before, or comes from another source. */
  readonly again: boolean;
  /** Reports progress. May throw to end the run; a later run continues. */
  readonly onProgress: (progress: MigrationProgress) => void;
}

export interface MigrationProgress {
  readonly appId: string;
  readonly stage: "copying" | "comparing";
  readonly table: string;
  /** Rows of the table so far. */
  readonly rows: number;
}

/** Compare only keys that live at least this long: the stores' clocks and sweeps differ. */
const CLAIM_MARGIN_MS = 60 * 60 * 1000;

/** Passes over an app. The second copies writes that reached the source during the first. */
const PASSES = 2;

/**
 * Where a copy begins or continues; undefined if it was finished before.
 * Throws AlreadyExists and Conflict("copy_of_other_source") for an app that is not from this source.
 */
function markFor(
  before: CopyMark | undefined,
  isThere: boolean,
  { run, from, again }: { readonly run: string; readonly from: string; readonly again: boolean },
): CopyMark | undefined {
  const fresh: CopyMark = { run, from, state: "copying", table: "", upTo: "" };
  if (before === undefined) {
    if (isThere) throw new AlreadyExists("app", "The target already has an app with this id that is not a copy");
    return fresh;
  }
  if (again) return fresh;
  if (before.from !== from)
    throw new Conflict("copy_of_other_source", "The target has a copy of this app from another source");
  return before.state === "done" ? undefined : { ...before, run };
}

/** Throws the errors with which `migrateApp` would refuse the app. Writes nothing. */
export async function checkApp({ from, to, again }: MigrationDeps, appId: string): Promise<void> {
  if (from.copies.storeId === to.copies.storeId)
    throw new InvalidArgument("to", "invalid", "a store that is neither the source nor a backup of it");
  if ((await from.apps.get(appId)) === undefined) throw new NotFound("app");
  const [mark, there] = await Promise.all([to.copies.mark(appId), to.apps.get(appId)]);
  markFor(mark, there !== undefined, { run: "", from: from.copies.storeId, again });
}

/** Reads all of an app from both stores, the app itself too. Rejects with NotFound if the source lacks the app. */
export async function compareWholeApp(deps: MigrationDeps, appId: string): Promise<ComparedTable[]> {
  const app = await appDigests(deps, appId);
  if (app.source.rows === 0) throw new NotFound("app");
  return [app, ...(await compareApp(deps, appId))];
}

/** Reads all that belongs to an app from both stores. */
export async function compareApp(deps: MigrationDeps, appId: string): Promise<ComparedTable[]> {
  const { from, to, now, onProgress } = deps;
  const compared: ComparedTable[] = [];
  for (const table of COPIED_TABLES) {
    const claimedFrom = oldestClaim(now(), CLAIM_MARGIN_MS);
    const onRows = (rows: number) => onProgress({ appId, stage: "comparing", table, rows });
    const source = await digestTable(from, appId, table, claimedFrom, onRows);
    const target = await digestTable(to, appId, table, claimedFrom, onRows);
    compared.push({ table, source, target });
  }
  onProgress({ appId, stage: "comparing", table: "models", rows: 0 });
  compared.push({
    table: "models",
    source: await digestModels(from, appId),
    target: await digestModels(to, appId),
  });
  return compared;
}

/**
 * Copies an app with all its data. The target shows the app only once everything was compared and found equal. The next
 * call resumes an interrupted copy. A concurrent second run makes the first one reject with Conflict("copy_running").
 */
export async function migrateApp(deps: MigrationDeps, appId: string): Promise<AppReport> {
  await checkApp(deps, appId);
  const { from, to, newId, again } = deps;
  const run = newId();
  const source = from.copies.storeId;
  let mark = await to.copies.begin(appId, (before, isThere) => markFor(before, isThere, { run, from: source, again }));
  if (mark === undefined) {
    const tables = await compareWholeApp(deps, appId);
    return { appId, outcome: tables.every(isEqual) ? "equal" : "differs", wasDone: true, written: 0, tables };
  }
  let written = 0;
  for (let pass = 1; ; pass++) {
    written += await copyRows(deps, appId, mark);
    written += await copyModels(from, to, appId, pass > 1);
    const tables = await compareApp(deps, appId);
    if (tables.every(isEqual)) {
      const app = await from.apps.get(appId);
      if (app === undefined) throw new NotFound("app");
      await to.copies.finish(app, run);
      const all = [await appDigests(deps, appId), ...tables];
      return { appId, outcome: all.every(isEqual) ? "copied" : "differs", wasDone: false, written, tables: all };
    }
    mark = await beginAnew(to, appId, mark); // equal rows are skipped fast
    if (pass === PASSES) return { appId, outcome: "differs", wasDone: false, written, tables };
  }
}

/** The mark with which a run goes through all tables once more. */
async function beginAnew(to: Store, appId: string, mark: CopyMark): Promise<CopyMark> {
  const fresh: CopyMark = { ...mark, table: "", upTo: "" };
  await to.copies.begin(appId, (before) => {
    if (before?.run !== mark.run) throw new Conflict("copy_running", "Another run copies this app now");
    return fresh;
  });
  return fresh;
}

/** Copies the tables from where the mark says. */
async function copyRows(deps: MigrationDeps, appId: string, mark: CopyMark): Promise<number> {
  const { from, to, now, onProgress } = deps;
  const tables: readonly string[] = COPIED_TABLES;
  const at = tables.indexOf(mark.table);
  let written = 0;
  for (const table of COPIED_TABLES.slice(Math.max(0, at))) {
    const onRows = (rows: number) => onProgress({ appId, stage: "copying", table, rows });
    const copy = { from, to, appId, run: mark.run, claimedFrom: oldestClaim(now()), onRows };
    written += await copyTable(copy, table, table === mark.table ? mark.upTo : "");
  }
  onProgress({ appId, stage: "copying", table: "models", rows: 0 });
  return written;
}

async function appDigests({ from, to }: MigrationDeps, appId: string): Promise<ComparedTable> {
  const digest = (app: App | undefined): TableDigest => ({
    rows: app === undefined ? 0 : 1,
    checksum: app === undefined ? "" : createHash("sha256").update(canonicalText(app)).digest("hex"),
  });
  return { table: "apps", source: digest(await from.apps.get(appId)), target: digest(await to.apps.get(appId)) };
}

export function isEqual({ source, target }: ComparedTable): boolean {
  return source.rows === target.rows && source.checksum === target.checksum;
}
