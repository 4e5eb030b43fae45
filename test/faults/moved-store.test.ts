import { cp, mkdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { rpcClients, runAisle, startServer, temporaryDirectory } from "../fixtures/server.js";
import { EventLoad, storedEvents } from "./event-load.js";
import { expectServesAgain } from "./expect-recovery.js";
import { rounds } from "./faults.js";

const ROUNDS = rounds(1, 5);
const CALLERS = 8;
const EVENTS_BEFORE = 60;
const FAULT_MS = 3_000;
const NAMED = /Somebody (moved or removed|replaced|overwrote) (data|lock)\.mdb while the store was open/;

interface Paths {
  readonly store: string;
  readonly backup: string;
  readonly elsewhere: string;
}

interface Way {
  readonly way: string;
  readonly hurt: (paths: Paths) => Promise<unknown>;
  readonly mend: (paths: Paths) => Promise<unknown>;
  /** The store still has the events that were acknowledged before the fault. */
  readonly keepsAll: boolean;
}

const copy = (from: string, to: string) => cp(from, to, { recursive: true });
const remove = (path: string) => rm(path, { recursive: true });
const nothing = async () => undefined;

const WAYS: readonly Way[] = [
  {
    way: "is moved away and back",
    hurt: ({ store, elsewhere }) => rename(store, elsewhere),
    mend: ({ store, elsewhere }) => rename(elsewhere, store),
    keepsAll: true,
  },
  {
    way: "is moved away from under an empty directory, and back",
    hurt: async ({ store, elsewhere }) => {
      await rename(store, elsewhere);
      await mkdir(store);
    },
    mend: async ({ store, elsewhere }) => {
      await rmdir(store);
      await rename(elsewhere, store);
    },
    keepsAll: true,
  },
  {
    way: "is removed and restored from its backup later",
    hurt: ({ store }) => remove(store),
    mend: ({ store, backup }) => copy(backup, store),
    keepsAll: false,
  },
  {
    way: "is replaced by its backup",
    hurt: async ({ store, backup, elsewhere }) => {
      await copy(backup, elsewhere);
      await remove(store);
      await rename(elsewhere, store);
    },
    mend: nothing,
    keepsAll: false,
  },
  {
    way: "has its backup copied over its files",
    hurt: ({ store, backup }) => copy(backup, store),
    mend: nothing,
    keepsAll: false,
  },
];

describe("the data directory of a running server", () => {
  it.each(WAYS)(
    "that $way gets no acknowledged event in deleted files",
    async ({ hurt, mend, keepsAll }) => {
      for (let round = 0; round < ROUNDS; round++) {
        const root = await temporaryDirectory();
        const paths = { store: join(root, "store"), backup: join(root, "backup"), elsewhere: join(root, "elsewhere") };
        const server = await startServer({ directory: paths.store });
        await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
        const [before, after] = [new EventLoad(), new EventLoad()];
        let load = before;
        let isLoading = true;
        const caller = async () => {
          while (isLoading) {
            const told = await load.post(server.facadeUrl);
            if (told.kind === "accepted") continue;
            if (told.kind === "refused" && told.by instanceof Response) expect(told.by.status).toBe(503);
            await pause(20);
          }
        };
        const calling = Promise.all(Array.from({ length: CALLERS }, caller));
        await expect.poll(() => before.acknowledged.size, { timeout: 20_000 }).toBeGreaterThan(EVENTS_BEFORE);
        const { code } = await runAisle(["backup", "--store", `embedded:${paths.store}`, "--to", paths.backup]);
        expect(code).toBe(0);
        await hurt(paths);
        load = after;
        await pause(FAULT_MS);
        await mend(paths);
        await expectServesAgain(server, NAMED);
        await pause(500);
        isLoading = false;
        await calling;
        await server.end("SIGTERM");
        const again = await startServer({ directory: paths.store });
        const stored = await storedEvents(again.rpcUrl);
        await again.end("SIGTERM");
        const ids = new Set(stored.map(({ eventId }) => eventId));
        const lost = (one: EventLoad) => [...one.acknowledged.values()].filter((id) => !ids.has(id)).length;
        expect(lost(after)).toBe(0);
        if (keepsAll) expect(lost(before)).toBe(0);
      }
    },
    60_000 + ROUNDS * 120_000,
  );
});
