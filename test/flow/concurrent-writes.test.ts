import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { RPC_SERVICES } from "../../src/services/telemetry/rpc-methods.js";
import { COPIED_TABLES } from "../../src/store/ports/copies.js";
import { wireAisle } from "../fixtures/aisle.js";
import { type StoreKind, storeKinds } from "../fixtures/stores.js";
import {
  clientsOf,
  type Place,
  type Rpc,
  WRITE_CASES,
  WRITES_BESIDE,
  WRITES_NOTHING,
  type WriteCase,
} from "./write-calls.js";

const stores = await storeKinds();
const AT_ONCE = 20;
const TIMEOUT_MS = 120_000;

/** RPCs that may write, as the protos have it. */
const writers = RPC_SERVICES.filter(({ typeName }) => typeName.startsWith("aisle.")).flatMap((service) =>
  service.methods
    .filter(({ idempotency }) => idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS)
    .map(({ name }) => `${service.name}/${name}`),
);

/** So many servers over one store. */
async function open(kind: StoreKind, count: number) {
  const opened = await kind.openShared(Date.now, count);
  const servers = opened.map((store) => {
    const newSecret = () => randomUUID().replaceAll("-", "");
    return wireAisle(store, {
      newId: randomUUID,
      newSecret,
      publicUrl: "https://shop.example",
      // Callers only see `internal error`.
      report: (error) => process.stderr.write(`${inspect(error)}\n`),
      // With copies of apps, as over a remote store.
      remoteStore: { answerMs: 30_000, historyMs: 30_000, settingsMs: 30_000 },
    });
  });
  const rpcs = servers.map(clientsOf);
  const place = async (): Promise<Place> => {
    const appId = `a${randomUUID().slice(0, 8)}`;
    await rpcs[0]!.apps.createApp({ app: { appId } });
    return { appId, rpc: rpcs[0]!, store: opened[0]!, known: [] };
  };
  return { rpcs, place };
}

/** Makes the calls at once, spread over the servers; answers which were acknowledged. */
async function calls(one: WriteCase, place: Place, rpcs: readonly Rpc[], refusals: readonly Code[]): Promise<number[]> {
  const made = Array.from({ length: AT_ONCE }, (_, n) => one.call(rpcs[n % rpcs.length]!, place, n));
  const outcomes = await Promise.allSettled(made);
  for (const outcome of outcomes)
    if (outcome.status === "rejected" && !refusals.includes(ConnectError.from(outcome.reason).code))
      throw outcome.reason;
  return outcomes.flatMap(({ status }, n) => (status === "fulfilled" ? [n] : []));
}

function refusalsOf({ acknowledged }: WriteCase): readonly Code[] {
  return acknowledged === undefined ? [] : [Code.AlreadyExists, Code.NotFound, Code.Aborted];
}

async function expectKept(one: WriteCase, place: Place, acknowledged: readonly number[]): Promise<void> {
  if (one.acknowledged === undefined) expect(acknowledged).toHaveLength(AT_ONCE);
  else expect(acknowledged.length).toBeGreaterThan(0);
  if (one.acknowledged === "one") expect(acknowledged).toHaveLength(1);
  await one.check(place, acknowledged);
}

it("the cases of concurrent writes cover each RPC that writes", () => {
  expect([...Object.keys(WRITE_CASES), ...WRITES_NOTHING, ...WRITES_BESIDE].sort()).toEqual(writers.sort());
});

/** Pairs that write one record: the app, or its mailing secrets; and each case with the next one. */
const SHARED = [
  ["AppService/UpdateApp", "CatalogService/SetProductGroup", "CatalogService/DeleteProductGroup"],
  ["HookService/SetHook", "SubscriptionService/CreateLink", "AppService/CreateSigningSecret"],
];
const names = Object.keys(WRITE_CASES);
const pairs = [
  ...SHARED.flatMap((some) => some.flatMap((a, i) => some.slice(i + 1).map((b) => [a, b] as const))),
  ...names.map((name, i) => [name, names[(i + 1) % names.length]!] as const),
  // DeleteHook ends what SetHook and ResendMessages do: either may come last.
].filter(([a, b]) => b !== "HookService/DeleteHook" && a !== "HookService/DeleteHook");

const kinds = stores.flatMap((kind) => [1, 2].map((count) => ({ kind, count, name: kind.name })));

describe.each(kinds)("concurrent writes: $name, $count server(s)", ({ kind, count }) => {
  it.each(names)(
    `keep every acknowledged change of 20 calls of %s`,
    async (name) => {
      const { rpcs, place: newPlace } = await open(kind, count);
      const one = WRITE_CASES[name]!;
      const place = await newPlace();
      await one.prepare?.(place);
      await expectKept(one, place, await calls(one, place, rpcs, refusalsOf(one)));
    },
    TIMEOUT_MS,
  );

  it.each(pairs)(
    "keep every acknowledged change of 20 calls each of %s and %s",
    async (...both) => {
      const { rpcs, place: newPlace } = await open(kind, count);
      const shared = await newPlace();
      const cases = both.map((name) => ({ one: WRITE_CASES[name]!, place: { ...shared, known: [] } }));
      for (const { one, place } of cases) await one.prepare?.(place);
      const made = await Promise.all(cases.map(({ one, place }) => calls(one, place, rpcs, refusalsOf(one))));
      for (const [i, { one, place }] of cases.entries()) await expectKept(one, place, made[i]!);
    },
    TIMEOUT_MS,
  );

  it(
    "leave nothing of an app that is deleted during any of the calls",
    async () => {
      const { rpcs, place: newPlace } = await open(kind, count);
      for (const [name, one] of Object.entries(WRITE_CASES)) {
        const place = await newPlace();
        await one.prepare?.(place);
        const refusals = [Code.NotFound, Code.AlreadyExists, Code.Aborted, Code.FailedPrecondition];
        const deleted = rpcs.at(-1)!.apps.deleteApp({ appId: place.appId });
        await Promise.all([calls(one, place, rpcs, refusals), deleted]);
        const left = [];
        for (const table of COPIED_TABLES)
          for (const { key } of await place.store.copies.scan(place.appId, table, "", 10)) left.push(`${table} ${key}`);
        expect({ name, left }).toEqual({ name, left: [] });
        expect(await place.store.models.list(place.appId)).toEqual([]);
        expect(await place.store.models.pointer(place.appId)).toBeUndefined();
      }
    },
    TIMEOUT_MS,
  );
});
