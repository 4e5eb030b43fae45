import { rm } from "node:fs/promises";
import { afterEach, beforeEach } from "vitest";
import { type Environment, openEnvironment } from "../../../src/store/lmdb/environment.js";
import { assembleStore } from "../../../src/store/lmdb/store.js";
import type { WriterLimits } from "../../../src/store/lmdb/writer-limits.js";
import type { Store } from "../../../src/store/ports/store.js";
import { event } from "../../contract/samples.js";
import { makeDirectory } from "./open-embedded.js";

/** A store's directory in which transactions can be made to fail or to wait. */
export class FaultyStore {
  directory = "";
  /** How the next transactions go; the real one when the list is empty. */
  faults: ((body: () => void) => Promise<void>)[] = [];
  /** Transactions so far. */
  transactions = 0;
  /** The clock, in milliseconds. */
  at = 0;
  /** Failures of commits that the store reported. */
  readonly reported: string[] = [];
  readonly counts = new Map<string, number>();
  private opened: Environment | undefined;

  get environment(): Environment {
    if (this.opened === undefined) throw new Error("The store is open only while a test runs");
    return this.opened;
  }

  async begin(): Promise<void> {
    this.directory = await makeDirectory();
    this.opened = await openEnvironment(this.directory, false, () => undefined);
    this.faults = [];
    this.transactions = 0;
    this.at = 0;
    this.reported.length = 0;
    this.counts.clear();
  }

  async end(): Promise<void> {
    await this.environment.close();
    this.opened = undefined;
    await rm(this.directory, { recursive: true, force: true });
  }

  openStore(limits: Partial<WriterLimits> = {}, freeBytes?: () => number): Promise<Store> {
    const { environment } = this;
    const transact: Environment["transact"] = (body) => {
      this.transactions++;
      return (this.faults.shift() ?? environment.transact)(body);
    };
    return assembleStore(
      { ...environment, transact },
      {
        directory: this.directory,
        now: () => this.at,
        metrics: {
          count: (name, _labels, by = 1) => void this.counts.set(name, (this.counts.get(name) ?? 0) + by),
          observe: () => undefined,
        },
        reportFailure: (place, error) => void (place === "store_commit" && this.reported.push(String(error))),
        limits,
        onDamage: () => undefined,
        ...(freeBytes && { freeBytes }),
      },
    );
  }
}

/** A new one before each test of the surrounding suite. */
export function useFaultyStore(): FaultyStore {
  const faulty = new FaultyStore();
  beforeEach(() => faulty.begin());
  afterEach(() => faulty.end());
  return faulty;
}

export function put(store: Store, id: string): Promise<void> {
  return store.unitOfWork.run("shop", (tx) => tx.events.put(id, event(id)));
}

export async function has(store: Store, id: string): Promise<boolean> {
  return (await store.events.get("shop", id)) !== undefined;
}
