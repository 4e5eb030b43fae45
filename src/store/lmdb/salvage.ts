import { randomUUID } from "node:crypto";
import { closeSync, existsSync, openSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DataDamaged, InvalidArgument, Unavailable } from "../../domain/errors.js";
import { number, text } from "../schema/kinds.js";
import { codecOf, decode } from "./codec.js";
import { type Environment, openEnvironment } from "./environment.js";
import { makeDirectory, syncDirectory } from "./files.js";
import { FORMAT_KEY, FORMAT_NUMBER, FormatUnsupported, STORE_ID_KEY } from "./format.js";
import { appIdOf, FIRST, type Key, LAST } from "./keys.js";
import { copySound, modelDirectory, namesIn } from "./model-files.js";
import { PageFile, readSomeHead } from "./pages/page-file.js";
import type { PageHead, Tree } from "./pages/page-layout.js";
import { type LostPart, salvageTrees, TreeSalvage } from "./pages/page-salvage.js";
import { rebuildIndexes } from "./rebuild-indexes.js";
import { DATA_FILE, LOCK_FILE } from "./store-file.js";
import type { Table } from "./table.js";

/** The records of one table that could not be read. */
export interface LostRecords {
  readonly table: string;
  /** By LMDB's own count, which may be damaged too. */
  readonly count: number;
  /** The gaps: their app and the last and first readable key around them, "" at either end. */
  readonly parts: readonly { readonly appId: string; readonly after: string; readonly before: string }[];
}

export interface SalvageReport {
  readonly taken: number;
  readonly lost: readonly LostRecords[];
  /** Interactions and model pointers that were removed because they refer to lost records. */
  readonly removed: number;
}

const AT_ONCE = 1000;

/** Not salvaged: without them, watchers of products read everything again. */
const LEFT_OUT: readonly string[] = ["productLog", "productHeads"];

/**
 * Creates a sound store in `target` from the readable records of the store in `directory`, and rebuilds its indexes.
 * `directory` is only read; no server may write to it meanwhile.
 *
 * Rejects with InvalidArgument when `target` exists and is not empty, with DataDamaged when nothing is readable.
 */
export async function salvageStore(directory: string, target: string, newId = randomUUID): Promise<SalvageReport> {
  const to = resolve(target);
  if ((await namesIn(to)).length > 0) {
    throw new InvalidArgument("target", "invalid", "an empty or new directory");
  }
  const path = join(directory, DATA_FILE);
  if (!existsSync(path)) throw new Unavailable("The directory holds no store");
  const fd = openSync(path, "r");
  const partial = `${to}.${newId()}.partial`;
  try {
    const file = new PageFile(fd);
    const heads = [readSomeHead(file, 0), readSomeHead(file, 1)].filter((head) => head !== undefined);
    heads.sort((a, b) => b.transaction - a.transaction);
    if (heads.length === 0) throw new DataDamaged("No head of the file can be read");
    const report = await rescue(file, heads, resolve(directory), partial);
    await rm(join(partial, LOCK_FILE), { force: true });
    await makeDirectory(dirname(to));
    await rename(partial, to);
    await syncDirectory(dirname(to));
    return report;
  } finally {
    closeSync(fd);
    await rm(partial, { recursive: true, force: true });
  }
}

async function rescue(file: PageFile, heads: readonly PageHead[], from: string, to: string): Promise<SalvageReport> {
  const meta = new Map<Key, Uint8Array>();
  readTable(file, heads, "meta", (key, value) => meta.set(key, Buffer.from(value)));
  const format = meta.get(FORMAT_KEY);
  const found = format === undefined ? FORMAT_NUMBER : decode(codecOf(number), FORMAT_KEY, format, format.length);
  if (found !== FORMAT_NUMBER) {
    const advice = `The store has format ${found}; this version of Aisle repairs format ${FORMAT_NUMBER}`;
    throw new FormatUnsupported(advice, found < FORMAT_NUMBER);
  }
  const id = meta.get(STORE_ID_KEY);
  const storeId = id === undefined ? randomUUID() : decode(codecOf(text), STORE_ID_KEY, id, id.length);
  const log = () => undefined;
  const environment = await openEnvironment(to, false, log, log, () => storeId);
  try {
    const lost: LostRecords[] = [];
    let taken = 0;
    const tables: readonly Pick<Table<unknown>, "name" | "putNow">[] = Object.values(environment.tables);
    for (const table of tables) {
      const { name } = table;
      if (LEFT_OUT.includes(name)) continue;
      const entries: [Key, Buffer][] = [];
      const outcome = readTable(file, heads, name, (key, value) => entries.push([key, Buffer.from(value)]));
      await putAll(environment, table, entries);
      taken += outcome.taken;
      if (outcome.count > 0 || outcome.parts.length > 0) {
        lost.push({ table: name, count: outcome.count, parts: outcome.parts.map(readable) });
      }
    }
    const models = await copyModels(environment, from);
    if (models > 0) lost.push({ table: "models", count: models, parts: [] });
    let removed = 0;
    await environment.transact(() => {
      removed = rebuildIndexes(environment.tables);
    });
    return { taken, lost, removed };
  } finally {
    await environment.close();
  }
}

/** Reads a table from the newest head whose tree yields any entry. */
function readTable(
  file: PageFile,
  heads: readonly PageHead[],
  name: string,
  take: (key: Key, value: Uint8Array) => void,
): { readonly taken: number; readonly count: number; readonly parts: readonly LostPart[] } {
  const trees = heads.map((head) => ({ head, tree: salvageTrees(file, head.main).get(name) }));
  const known = trees.filter((one): one is { head: PageHead; tree: Tree } => one.tree !== undefined);
  if (known.length === 0) return { taken: 0, count: 0, parts: [{ after: FIRST, before: LAST }] };
  for (const { head, tree } of known) {
    const salvage = new TreeSalvage(file, take);
    salvage.read(tree, head.transaction);
    if (salvage.taken === 0 && tree.entries > 0 && head !== known.at(-1)?.head) continue;
    return { taken: salvage.taken, count: Math.max(0, tree.entries - salvage.taken), parts: salvage.parts };
  }
  return { taken: 0, count: 0, parts: [] };
}

async function putAll(
  environment: Environment,
  table: Pick<Table<unknown>, "putNow">,
  entries: [Key, Buffer][],
): Promise<void> {
  for (let n = 0; n < entries.length; n += AT_ONCE) {
    await environment.transact(() => {
      for (const [key, bytes] of entries.slice(n, n + AT_ONCE)) table.putNow(key, bytes);
    });
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

function readable({ after, before }: LostPart): LostRecords["parts"][number] {
  const own = (key: Key) =>
    key === FIRST || key === LAST ? "" : key.slice(key.indexOf("\0") + 1).replaceAll("\0", " ");
  const known = [after, before].find((key) => key !== FIRST && key !== LAST && key.includes("\0"));
  return { appId: known === undefined ? "" : appIdOf(known), after: own(after), before: own(before) };
}
