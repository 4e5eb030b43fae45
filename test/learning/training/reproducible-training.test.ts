import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import type { Store } from "../../../src/store/ports/store.js";
import { openMongoPeer } from "../../fixtures/mongo-peer.js";
import { runAisle, startServer, temporaryDirectory } from "../../fixtures/server.js";
import { describeWithSharedData } from "../../fixtures/shared-data.js";
import { databaseName, PATIENT } from "../../store/mongo/open-mongo.js";

/** Lines of orders to learn from, enough for every algorithm; `Infinity` takes all 375,867. */
const LINES = Number(process.env.AISLE_SAME_BYTES_LINES ?? 10_000);

const COLUMNS = ["visitor=customer", "order_id=invoice", "product_id=item", "timestamp=ts", "price=unit_price"];

const peer = await openMongoPeer();
afterAll(() => peer.stop());

/** Imports and trains with the product alone, as an operator would, and stops the server. */
async function importAndTrain(address: string, products: string, events: string): Promise<string> {
  const server = await startServer({
    directory: "",
    defaults: false,
    flags: ["--store", address, "--facade-port", "0", "--rpc-port", "0", "--train-every", "off"],
  });
  const aisle = async (...args: string[]) => {
    const { code, stdout, stderr } = await runAisle([...args, "--server", server.rpcUrl]);
    if (code !== 0) throw new Error(`aisle ${args[0]} ended with ${code}: ${stdout}${stderr}`);
    return stdout;
  };
  await aisle("app", "create", "retail");
  const into = ["--app", "retail", "--json"];
  const first = await aisle("import", "products", products, ...into, "--map", "id=item");
  const maps = COLUMNS.flatMap((column) => ["--map", column]);
  const second = await aisle("import", "events", events, ...into, "--type", "order", "--idempotent", ...maps);
  await aisle("train", "--app", "retail");
  await server.end("SIGTERM");
  return `${first}${second}`;
}

/** The header and the first lines of a gzip file, as a file of its own. */
async function firstLines(file: string, lines: number, directory: string): Promise<string> {
  if (!Number.isFinite(lines)) return file;
  const text = gunzipSync(await readFile(file)).toString("utf8");
  const cut = join(directory, "first-lines.csv");
  await writeFile(
    cut,
    text
      .split("\n")
      .slice(0, lines + 1)
      .join("\n"),
  );
  return cut;
}

/** Length and hash of the newest model's bytes. */
async function snapshotOf(store: Store) {
  const [newest] = await store.models.list("retail");
  const pieces = await store.models.read("retail", newest?.modelId ?? "");
  await store.close();
  const bytes = Buffer.concat(pieces ?? []);
  if (bytes.length === 0) throw new Error("there is no model");
  return { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

describeWithSharedData("behaviour", "online_retail")(
  `${Number.isFinite(LINES) ? `the first ${LINES} lines` : "all lines"} of a wholesaler's orders`,
  (folder) => {
    it(`training gives the same snapshot from both stores: ${peer.name}`, async () => {
      const folderHere = await temporaryDirectory();
      const directory = join(folderHere, "store");
      const products = join(folder, "products.csv.gz");
      const events = await firstLines(join(folder, "train.csv.gz"), LINES, folderHere);
      const database = databaseName();
      onTestFinished(() => peer.drop(database));
      const url = peer.url(database);
      const first = await importAndTrain(`embedded:${directory}`, products, events);
      const second = await importAndTrain(url, products, events);
      const counts = (said: string) => said.match(/"(?:accepted|deduplicated|rejected|events|orders)": ?\d+/g);
      expect(counts(second)).toEqual(counts(first));
      const embedded = await snapshotOf(await openEmbeddedStore({ directory, now: Date.now, readOnly: true }));
      const mongo = await snapshotOf(await openMongoStore({ url, now: Date.now, limits: PATIENT, readOnly: true }));
      expect(mongo).toEqual(embedded);
      expect(embedded.bytes).toBeGreaterThan(100_000);
    }, 1_800_000);
  },
);
