import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { openEmbeddedStore } from "../../src/store/lmdb/store.js";
import { verifyStore } from "../../src/store/lmdb/verify.js";
import { app } from "../contract/samples.js";
import { temporaryDirectory } from "../fixtures/server.js";
import { describeWithShim, shimEnvironment } from "./disk-shim.js";
import { rounds } from "./faults.js";
import { CutDisk, keepDirectory } from "./power-cut-disk.js";
import { randomOfThisRun } from "./random.js";
import { recordFault } from "./report.js";

const CUTS = rounds(40, 400);
const COPIES = 6;
const COPY = fileURLToPath(new URL("./children/copy.ts", import.meta.url));
const run = promisify(execFile);

/** Whether the store at `directory` serves the models it names, and which events it has. */
async function look(directory: string) {
  const store = await openEmbeddedStore({ directory, now: Date.now });
  try {
    const pointer = await store.models.pointer("shop");
    const bytes = pointer && (await store.models.read("shop", pointer.modelId));
    const events = await store.events.list("shop", "", 100, false);
    return { served: bytes?.toString().slice(0, 8).trim(), events: events.length };
  } finally {
    await store.close();
  }
}

describeWithShim("a power cut while models are published and backups made", () => {
  it(
    "leaves the newest confirmed model, and no incomplete backup under its final name",
    async () => {
      const [root, found] = [await temporaryDirectory(), await temporaryDirectory()];
      const journal = join(await temporaryDirectory(), "journal");
      const first = await openEmbeddedStore({ directory: join(root, "store"), now: Date.now });
      await first.apps.create(app("shop"));
      await first.close();
      const before = keepDirectory(root);
      const env = { ...process.env, ...shimEnvironment({ directory: root, journal }) };
      const { stdout } = await run(process.execPath, ["--import", "tsx", COPY, root, String(COPIES), journal], { env });
      const confirmed = stdout
        .trim()
        .split("\n")
        .map((line) => {
          const [what = "", n = "", at = ""] = line.split(" ");
          return { what, n: Number(n), at: Number(at) };
        });
      expect(confirmed).toHaveLength(2 * COPIES);

      const disk = new CutDisk(root, before, journal);
      const random = randomOfThisRun(COPIES);
      const ends = [...disk.ends].sort((a, b) => a - b);
      const chosen = Array.from({ length: CUTS }, () => ends[Math.floor(random() * ends.length)] ?? 0).sort(
        (a, b) => a - b,
      );
      let [acknowledged, lost, wrong, whole] = [0, 0, 0, 0];
      for (const [n, end] of chosen.entries()) {
        disk.advance(end);
        const share = n % 2 === 0 ? 0 : random();
        disk.writeTo(found, () => random() < share);
        const told = confirmed.filter(({ at }) => at <= end);
        acknowledged += told.length;
        expect((await verifyStore(join(found, "store"))).faults).toEqual([]);
        const newest = told.filter(({ what }) => what === "model").at(-1)?.n ?? -1;
        const { served } = await look(join(found, "store"));
        const number = served === undefined ? -1 : Number(served.split(" ")[1]);
        if (number < newest) lost++;
        for (let copy = 0; copy < COPIES; copy++) {
          const backup = join(found, `backup-${copy}`);
          if (!existsSync(backup)) {
            if (told.some((one) => one.what === "backup" && one.n === copy)) lost++;
            continue;
          }
          whole++;
          const { faults } = await verifyStore(backup);
          const its = await look(backup);
          if (faults.length > 0 || its.served !== `model ${copy}` || its.events !== copy + 1) wrong++;
        }
      }
      expect([lost, wrong]).toEqual([0, 0]);
      expect(whole).toBeGreaterThan(CUTS);
      const seen = `${ends.length.toLocaleString("en")} changes of the disk, cut at ${CUTS}; ${whole} backups met, each whole`;
      recordFault("power-cut-copies", "embedded", { rounds: CUTS, acknowledged, lost, duplicated: 0, wrong, seen });
    },
    120_000 + CUTS * 1_000,
  );
});
