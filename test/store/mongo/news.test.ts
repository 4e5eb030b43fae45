/** What another server hears of product changes, while its change stream breaks or never opens. */
import { afterAll, afterEach, describe, expect, it, onTestFinished } from "vitest";
import type { Product } from "../../../src/domain/product.js";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import type { Store } from "../../../src/store/ports/store.js";
import { product } from "../../contract/samples.js";
import { type Command, type Fate, openTestReplicaSet, type TestReplicaSet } from "../../peers/mongo/replica-set.js";
import { databaseName, PATIENT } from "./open-mongo.js";

const members = await openTestReplicaSet();
afterAll(() => members.close());
afterEach(() => {
  members.onCommand = () => "answer";
});

const CHANGES = 12;
const NEVER_MS = 3_600_000;
/** A command of the change stream, not of the poll, which is a find. */
const isOfStream = ({ name, body }: Command) =>
  (name === "aggregate" && body.aggregate === "news") || (name === "getMore" && body.collection === "news");

/** One store writes, the other watches; gives what the watcher knows of each product. */
async function writerAndWatcher(watchPollMs: number, onCommand: TestReplicaSet["onCommand"] = () => "answer") {
  const database = databaseName();
  const open = () =>
    openMongoStore({
      url: members.url(database),
      now: Date.now,
      limits: PATIENT,
      watchPollMs,
      reportFailure: () => {},
    });
  const [writer, watcher] = [await open(), await open()];
  onTestFinished(async () => {
    members.onCommand = () => "answer";
    await Promise.all([writer.close(), watcher.close()]);
  });
  members.onCommand = onCommand; // opened in peace
  const known = new Map<string, number>();
  const take = (found: Product | undefined) => void (found && known.set(found.productId, found.updatedAt));
  watcher.products.watch("shop", (changes) => {
    for (const change of changes) {
      if ("put" in change) take(change.put);
      else if ("reload" in change)
        for (const n of ALL) void watcher.products.get("shop", `p${n}`).then(take, () => undefined);
    }
  });
  return { writer, known };
}

const put = (store: Store, n: number) =>
  store.unitOfWork.run("shop", (tx) => tx.products.put(`p${n}`, product(`p${n}`, { updatedAt: n })));

const ALL = Array.from({ length: CHANGES }, (_, n) => n);

describe("product changes of another server", () => {
  it("come by the change stream alone", async () => {
    const { writer, known } = await writerAndWatcher(NEVER_MS);
    // The stream may begin after the first writes; what came before is read when it does.
    for (const n of ALL) await put(writer, n);
    await expect.poll(() => [...known.keys()].length).toBe(CHANGES);
    expect([...known.values()].sort((a, b) => a - b)).toEqual(ALL);
  });

  it.each<[how: string, breaks: (command: Command, count: number) => boolean]>([
    ["never opens", isOfStream],
    ["opens and never answers again", (command) => isOfStream(command) && command.name === "getMore"],
    ["loses every third answer", (command, count) => isOfStream(command) && count % 3 === 0],
  ])("all come while the stream %s", async (_, breaks) => {
    let count = 0;
    const { writer, known } = await writerAndWatcher(20, (command) => {
      if (isOfStream(command)) count++;
      return breaks(command, count) ? "lose answer" : "answer";
    });
    for (const n of ALL) await put(writer, n);
    await expect.poll(() => [...known.keys()].length).toBe(CHANGES);
  });

  it("all come while the stream hangs without an answer", async () => {
    let release = () => {};
    const hanging = new Promise<void>((resolve) => {
      release = resolve;
    });
    onTestFinished(() => release());
    const { writer, known } = await writerAndWatcher(20, async (command): Promise<Fate> => {
      if (isOfStream(command)) await hanging;
      return "answer";
    });
    for (const n of ALL) await put(writer, n);
    await expect.poll(() => [...known.keys()].length).toBe(CHANGES);
    release();
  });

  it("all come while the primary steps down after every third change and connections are cut", async () => {
    const { writer, known } = await writerAndWatcher(20);
    for (const n of ALL) {
      await put(writer, n);
      if (n % 3 === 1) members.failOver();
      if (n % 3 === 2) members.cut();
    }
    await expect.poll(() => [...known.keys()].length).toBe(CHANGES);
  });
});
