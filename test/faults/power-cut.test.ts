import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openEmbeddedStore } from "../../src/store/lmdb/store.js";
import { verifyStore } from "../../src/store/lmdb/verify.js";
import { trained } from "../fixtures/operations.js";
import { rpcClients, startServer, temporaryDirectory } from "../fixtures/server.js";
import { makeShop } from "../fixtures/small-shop.js";
import { describeWithShim, shimEnvironment } from "./disk-shim.js";
import { rounds } from "./faults.js";
import { CutDisk, keepDirectory } from "./power-cut-disk.js";
import { randomOfThisRun } from "./random.js";
import { recordFault } from "./report.js";

const CUTS = rounds(40, 400);
const EVENTS = 200;
const CALLERS = 4;

/** What was acknowledged, and how long the journal was when the answer came. */
interface Acknowledged {
  readonly id: string;
  readonly at: number;
}

describeWithShim("a power cut", () => {
  it(
    "while a server writes events and models leaves a sound store with every acknowledged one",
    async () => {
      const root = await temporaryDirectory();
      const [directory, journal] = [join(root, "store"), join(root, "journal")];
      const flags = ["--train-every", "off"];
      const first = await startServer({ directory, flags });
      await makeShop(rpcClients(first.rpcUrl), "shop");
      await first.end("SIGTERM");
      const before = keepDirectory(directory);

      const server = await startServer({ directory, flags, env: shimEnvironment({ directory, journal }) });
      const clients = rpcClients(server.rpcUrl);
      const noted = (id: string): Acknowledged => ({ id, at: statSync(journal).size });
      const events: Acknowledged[] = [];
      const versions: Acknowledged[] = [];
      const caller = async () => {
        while (events.length < EVENTS) {
          const body = new URLSearchParams({
            app_id: "shop",
            action_type: "product_view",
            product_ids: "p1",
            c_id: "c1",
          });
          const answer = await fetch(`${server.facadeUrl}/trace`, { method: "POST", body });
          events.push(noted(answer.headers.get("x-service-event-id") ?? ""));
        }
      };
      const train = async () => {
        for (let n = 0; n < 2; n++) {
          await trained(clients, "shop");
          const { models } = await clients.models.listModels({ appId: "shop" });
          versions.push(noted(models.find(({ active }) => active)?.modelId ?? ""));
        }
      };
      await Promise.all([train(), ...Array.from({ length: CALLERS }, caller)]);
      await server.end("SIGKILL");

      const disk = new CutDisk(directory, before, journal);
      const random = randomOfThisRun(CUTS);
      const ends = [...disk.ends].sort((a, b) => a - b);
      const chosen = Array.from({ length: CUTS }, () => ends[Math.floor(random() * ends.length)] ?? 0).sort(
        (a, b) => a - b,
      );
      let [acknowledged, lost, unserved] = [0, 0, 0];
      for (const [n, end] of chosen.entries()) {
        disk.advance(end);
        const found = join(root, "found");
        const share = n % 2 === 0 ? 0 : random(); // nothing that was not synced stays, or some of it
        disk.writeTo(found, () => random() < share);
        const store = await openEmbeddedStore({ directory: found, now: Date.now });
        const told = events.filter(({ at }) => at <= end);
        for (const { id } of told) if ((await store.events.get("shop", id)) === undefined) lost++;
        acknowledged += told.length;
        const newest = versions.filter(({ at }) => at <= end).at(-1);
        const pointer = await store.models.pointer("shop");
        if (pointer !== undefined && (await store.models.read("shop", pointer.modelId)) === undefined) unserved++;
        if (newest !== undefined && (await store.models.list("shop")).every(({ modelId }) => modelId !== newest.id))
          lost++;
        await store.close();
        expect((await verifyStore(found)).faults).toEqual([]);
      }
      expect([lost, unserved]).toEqual([0, 0]);
      expect(acknowledged).toBeGreaterThan(CUTS);
      const seen = `${ends.length.toLocaleString("en")} changes of the disk, cut at ${CUTS}; each store sound, each model whole`;
      recordFault("power-cut", "embedded", { rounds: CUTS, acknowledged, lost, duplicated: 0, wrong: 0, seen });
    },
    120_000 + CUTS * 1_000,
  );
});
