import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { BSON, MongoClient } from "mongodb";
import { describe, expect, it } from "vitest";
import { OperationStage, OperationState } from "../../src/gen/aisle/v1/operation_pb.js";
import { erased } from "../fixtures/operations.js";
import { rpcClients, type ServerProcess, startServer, temporaryDirectory } from "../fixtures/server.js";
import { serverStoreKinds } from "../fixtures/server-stores.js";
import { shiftedClock } from "./clock.js";
import { canShim, shimEnvironment } from "./disk-shim.js";
import { everythingListed, exportOf, MarkedPerson, NAMED_BY, post } from "./erased-persons.js";
import { faultStoreOf, rounds } from "./faults.js";
import { randomOfThisRun, someOf } from "./random.js";
import { recordFault } from "./report.js";

const OTHERS = 30;
const SENDERS = 4;
/** Each event of a sender is of one of these times. */
type When = "before" | "during" | "after";

/** The stages in which a server is killed; that of a lost caller is before them all. */
const STAGES = [
  OperationStage.VISITORS,
  OperationStage.CHANGES,
  OperationStage.INTERACTIONS,
  OperationStage.ORDERS,
  OperationStage.EVENTS,
  OperationStage.REJECTED_EVENTS,
  OperationStage.IDEMPOTENCY,
  OperationStage.CONFIRMATIONS,
  OperationStage.OUTBOX,
  OperationStage.DEAD_HOOKS,
  OperationStage.RECHECK,
  OperationStage.SCRUB,
];
/** So many stages are aimed at, others in each run. */
const AIMED = rounds(2, STAGES.length);
/** A kill comes late where a stage lasts a few milliseconds; with slow syncs it lasts longer. */
const LEAST_STAGES = { slowed: rounds(1, 8), fast: rounds(0, 3) };
/** A server goes on with what another one has left after a minute, and looks each minute. */
const RESUMED_MS = 200_000;

/** Four senders of one person, who never stop while its server is killed. */
class Senders {
  when: When = "before";
  facadeUrl = "";
  /** Of each event its mark, and when it was sent; only what was answered in the time in which it was sent is `before`. */
  readonly sent: {
    readonly mark: string;
    /** The ids that it names. */
    readonly named: string;
    readonly orderId: string;
    readonly when: When;
    readonly isAnswered: boolean;
  }[] = [];
  private isStopped = false;
  private ended: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly person: MarkedPerson,
    private readonly random: () => number,
  ) {}

  start(facadeUrl: string): void {
    this.facadeUrl = facadeUrl;
    this.ended = Promise.all(Array.from({ length: SENDERS }, () => this.sendOn()));
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.ended;
  }

  count(when: When): number {
    return this.sent.filter((one) => one.when === when && one.isAnswered).length;
  }

  private async sendOn(): Promise<void> {
    while (!this.isStopped) {
      const { ids, n } = this.person;
      const mark = `s${n}e${randomUUID().slice(0, 13)}q`;
      const orderId = this.random() < 0.3 ? `order-${mark}` : "";
      const named = ids[Math.floor(this.random() * ids.length)] ?? {};
      const form = {
        ...named,
        note: mark,
        product_ids: "p1|p2",
        ...(orderId === "" ? { action_type: "product_view" } : { action_type: "order", order_id: orderId }),
      };
      const { when } = this;
      const isAnswered = (await post(this.facadeUrl, this.person, form)) === 200;
      if (!isAnswered) await pause(50);
      const isBetween = when === "before" && this.when !== "before";
      this.sent.push({
        mark,
        named: Object.keys(named).join(" "),
        orderId,
        when: isBetween ? "during" : when,
        isAnswered,
      });
      await pause(this.random() * 30);
    }
  }
}

/** For so long a database keeps the locks of a server that was killed. */
const LOCKED_MS = 5_000;

/** Meanwhile a call may be refused as unavailable. */
async function askedAgain<T>(call: () => Promise<T>): Promise<T> {
  for (let left = 4; ; left--) {
    try {
      return await call();
    } catch (error) {
      if (left === 0 || ConnectError.from(error).code !== Code.Unavailable) throw error;
    }
  }
}

/** All that the store keeps, as bytes. */
async function bytesOf(store: string): Promise<string> {
  if (store.startsWith("embedded:")) {
    const directory = store.slice("embedded:".length);
    const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    return files.map((file) => readFileSync(join(file.parentPath, file.name), "latin1")).join("\n");
  }
  const client = await MongoClient.connect(store);
  try {
    const texts: string[] = [];
    for (const collection of await client.db().collections())
      for await (const document of collection.find())
        texts.push(Buffer.from(BSON.serialize(document)).toString("latin1"));
    return texts.join("\n");
  } finally {
    await client.close();
  }
}

describe.each(await serverStoreKinds(LOCKED_MS))("EraseVisitor under kill -9: $name", ({ name, newStore, env }) => {
  it("leaves nothing received before the call, loses nothing sent after its answer, and changes nobody else", async () => {
    const random = randomOfThisRun(17);
    const store = await newStore();
    const clock = await shiftedClock();
    const slow = join(await temporaryDirectory(), "slow");
    const directory = store.slice("embedded:".length);
    const isSlowed = canShim && store.startsWith("embedded:");
    const disk = isSlowed ? shimEnvironment({ directory, fault: slow }) : {};
    const flags = ["--trusted-proxies", "127.0.0.1/32"];
    const open = () => startServer({ store, flags, env: { ...env, ...clock.env(), ...disk } });
    let server: ServerProcess = await open();
    let clients = rpcClients(server.rpcUrl);
    await clients.apps.createApp({ app: { appId: "shop" } });
    const others = Array.from({ length: OTHERS }, (_, n) => new MarkedPerson(1000 + n));
    const visit = async (person: MarkedPerson) => {
      for (const form of person.visits)
        await expect
          .poll(() => post(server.facadeUrl, person, form), { interval: 50 })
          .toSatisfy((s) => s === 200 || s === 400);
    };
    for (const person of others) await visit(person);
    const exports = () => Promise.all(others.map((person) => exportOf(clients, person)));
    const before = await exports();
    for (const [n, text] of before.entries()) {
      expect(others.filter((person) => person.marksIn(text).length > 0)).toEqual([others[n]]);
      expect(others[n]!.marksIn(text).length).toBeGreaterThanOrEqual(40);
    }

    const killedIn = new Set<OperationStage>();
    const killed: { readonly person: MarkedPerson; readonly senders: Senders; readonly operationId: string }[] = [];
    for (const [n, aim] of someOf(STAGES, AIMED, random).entries()) {
      const person = new MarkedPerson(n);
      await visit(person);
      const senders = new Senders(person, random);
      senders.start(server.facadeUrl);
      await expect.poll(() => senders.count("before"), { interval: 5, timeout: 60_000 }).toBeGreaterThan(10);
      if (isSlowed) await writeFile(slow, "sync stall150");
      const named = await person.named(NAMED_BY[n % NAMED_BY.length]!, clients);
      const request = { appId: "shop", person: named, requestId: randomUUID() };
      senders.when = "during";
      // In each third round the caller is gone before the answer, and makes the same request at the next server.
      const isAnswered = n % 3 !== 2;
      const asked = clients.privacy.eraseVisitor(request);
      if (isAnswered) {
        const { outcome } = await asked.catch(() => askedAgain(() => clients.privacy.eraseVisitor(request)));
        senders.when = "after";
        const operationId = outcome.case === "operation" ? outcome.value.operationId : "";
        for (;;) {
          const { operation } = await clients.operations.getOperation({ appId: "shop", operationId });
          const stage = operation?.progress?.stage ?? OperationStage.SCRUB;
          if (stage >= aim || operation?.endTime !== undefined) break;
        }
      } else {
        asked.catch(() => undefined); // its server is killed
        await pause(random() * 60);
      }
      const workers = server.pids();
      const ended = server.end("SIGKILL");
      for (const pid of workers) process.kill(pid, "SIGKILL");
      await ended;
      await rm(slow, { force: true });
      server = await open();
      clients = rpcClients(server.rpcUrl);
      senders.facadeUrl = server.facadeUrl;
      const { outcome } = await askedAgain(() => clients.privacy.eraseVisitor(request));
      senders.when = "after";
      const operationId = outcome.case === "operation" ? outcome.value.operationId : "";
      const { operation } = await clients.operations.getOperation({ appId: "shop", operationId });
      if (operation?.state === OperationState.RUNNING)
        killedIn.add(operation.progress?.stage ?? OperationStage.UNSPECIFIED);
      await expect.poll(() => senders.count("after"), { interval: 5, timeout: 60_000 }).toBeGreaterThan(10);
      killed.push({ person, senders, operationId });
    }
    expect(killedIn.size).toBeGreaterThanOrEqual(isSlowed ? LEAST_STAGES.slowed : LEAST_STAGES.fast);

    await clock.set(61_000); // what was left last is as old as the rest when the server looks
    for (const { operationId } of killed) {
      const state = async () =>
        (await clients.operations.getOperation({ appId: "shop", operationId })).operation?.state;
      await expect.poll(state, { interval: 200, timeout: RESUMED_MS }).toBe(OperationState.SUCCEEDED);
    }
    await Promise.all(killed.map(({ senders }) => senders.stop()));

    const text = await everythingListed(clients);
    const marks = new Set(text.match(/s\d+e[0-9a-f-]+q/g));
    const sent = killed.flatMap(({ senders }) => senders.sent);
    const kept = sent.filter(({ when, isAnswered }) => when === "after" && isAnswered);
    const gone = sent.filter(({ when }) => when === "before");
    const lost = kept.filter(({ mark }) => !marks.has(mark));
    const over = gone.filter(({ mark }) => marks.has(mark));
    expect({ lost, over }).toEqual({ lost: [], over: [] });
    expect(kept.length).toBeGreaterThan(10 * killed.length);
    const orderOf = (orderId: string) =>
      clients.events.getOrder({ appId: "shop", orderId }).then(
        () => orderId,
        () => "",
      );
    for (const { orderId } of kept) if (orderId !== "") expect(await orderOf(orderId)).toBe(orderId);
    for (const { orderId } of gone) if (orderId !== "") expect(await orderOf(orderId)).toBe("");
    for (const { person } of killed)
      expect(person.marksIn(text).filter((mark) => !person.lasting.includes(mark))).toEqual([]);

    // Nobody sends any more, and everybody is erased once more.
    for (const { person } of killed) await erased(clients, "shop", { email: person.email });
    for (const { person } of killed)
      for (const by of NAMED_BY) if (by !== "contactId") await erased(clients, "shop", await person.named(by, clients));
    const output = server.output();
    const after = await everythingListed(clients);
    expect(await exports()).toEqual(before);
    for (let start = 0; start < 2; start++) {
      await server.end("SIGTERM");
      if (start === 0) server = await open(); // it compacts its file
    }
    const bytes = await bytesOf(store);
    const found = killed.flatMap(({ person }) => [output, after, bytes].map((all) => person.marksIn(all)));
    expect(found.flat()).toEqual([]);
    for (const person of others) expect(person.marksIn(bytes).length).toBeGreaterThan(30);
    recordFault("erasure", faultStoreOf(name), {
      rounds: killed.length,
      acknowledged: kept.length,
      lost: lost.length,
      duplicated: 0,
      wrong: over.length,
      seen: `killed in ${killedIn.size} different steps; ${sent.filter((one) => one.when === "during" && one.isAnswered).length} events came meanwhile`,
    });
  }, 900_000);
});
