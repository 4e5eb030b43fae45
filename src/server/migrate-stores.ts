import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { v7 as uuidv7 } from "uuid";
import type { Migrate, MigratedApp, MigrateHooks, MigrateRequest } from "../cli/migrate-command.js";
import { DomainError } from "../domain/errors.js";
import { checkApp, compareWholeApp, isEqual, type MigrationDeps, migrateApp } from "../store/migrate/migrate-app.js";
import type { Store } from "../store/ports/store.js";
import { openStore, readStoreLocation, type StoreLocation } from "./open-store.js";
import { ConfigError } from "./settings/setting.js";
import { type Reading, readDirectory } from "./store-owner.js";

const FROM = { flag: "--from", variable: "AISLE_MIGRATE_FROM" };
const TO = { flag: "--to", variable: "AISLE_MIGRATE_TO" };

/** A copy may take longer than a server's callers would wait. */
const PATIENT = { answerMs: 10_000, workMs: 120_000 };

/**
 * `aisle migrate`: opens both stores, rejects what cannot be copied before anything is written, and copies app after
 * app.
 */
export const migrateStores: Migrate = async function* (request, hooks) {
  const from = readStoreLocation(request.from, FROM);
  const to = readStoreLocation(request.to, TO);
  if (await isSame(from, to)) throw new ConfigError(TO, "must differ from --from");
  const readings: Reading[] = [];
  try {
    if (from.kind === "embedded") readings.push(await naming("source", () => readDirectory(from.directory)));
    if (to.kind === "embedded" && request.check)
      readings.push(await naming("target", () => readDirectory(to.directory)));
    yield* copyBetween(from, to, request, hooks);
    await mustBeStill(readings);
  } catch (error) {
    await mustBeStill(readings); // then that is why
    throw error;
  } finally {
    for (const reading of readings) reading.end();
  }
};

async function mustBeStill(readings: readonly Reading[]): Promise<void> {
  const areStill = await Promise.all(readings.map((reading) => reading.isStill()));
  if (areStill.includes(false)) throw new Error("A server of the store began or ended meanwhile; run migrate again");
}

async function* copyBetween(
  from: StoreLocation,
  to: StoreLocation,
  request: MigrateRequest,
  hooks: MigrateHooks,
): AsyncGenerator<MigratedApp> {
  const shared = { now: Date.now, newId: uuidv7, ...PATIENT };
  const logOf = (setting: string) => (line: string) => hooks.log(`${setting}: ${line}`);
  const source = await openStore(from, { ...shared, setting: FROM, readOnly: true, log: logOf("source") });
  try {
    const target = await openStore(to, { ...shared, setting: TO, readOnly: request.check, log: logOf("target") });
    try {
      yield* migrateAll(source, target, request, hooks);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Checked before opening: one process does not open a directory twice, once for reading only. */
async function isSame(from: StoreLocation, to: StoreLocation): Promise<boolean> {
  if (from.kind !== "embedded" || to.kind !== "embedded") return false;
  const [a, b] = await Promise.all(
    // not there yet
    [from.directory, to.directory].map((directory) => realpath(directory).catch(() => resolve(directory))),
  );
  return a === b;
}

async function* migrateAll(
  from: Store,
  to: Store,
  { appIds, again, check }: MigrateRequest,
  hooks: MigrateHooks,
): AsyncGenerator<MigratedApp> {
  const deps: MigrationDeps = {
    from,
    to,
    again,
    now: Date.now,
    newId: uuidv7,
    onProgress: (progress) => {
      hooks.signal?.throwIfAborted();
      hooks.update(progress);
    },
  };
  await naming("source", () => from.copies.check()); // two stores that lost the same records are equal
  const ids = appIds.length > 0 ? appIds : await allApps(from);
  if (!check) for (const appId of ids) await naming(`App ${appId}`, () => checkApp(deps, appId));
  for (const appId of ids) {
    yield await naming(`App ${appId}`, async () => {
      if (!check) return migrateApp(deps, appId);
      const tables = await compareWholeApp(deps, appId);
      const outcome = tables.every(isEqual) ? "equal" : "differs";
      return { appId, outcome, wasDone: false, written: 0, tables };
    });
  }
  await naming("target", () => to.copies.check());
}

async function allApps(store: Store): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const page = await store.apps.list(ids.at(-1) ?? "", 100);
    ids.push(...page.map(({ appId }) => appId));
    if (page.length < 100) return ids;
  }
}

/** Adds the app or the store to an error. */
async function naming<T>(about: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError) throw new Error(`${about}: ${error.message}`, { cause: error });
    throw error;
  }
}
