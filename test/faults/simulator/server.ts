import { Clock } from "../../../src/domain/clock.js";
import { createErasures } from "../../../src/identity/privacy/erasure.js";
import { createSetSubscription } from "../../../src/identity/set-subscription.js";
import { createGetStatus } from "../../../src/identity/subscription-status.js";
import { createRecordEvent } from "../../../src/intake/record-event.js";
import { createRecordEvents } from "../../../src/intake/record-events.js";
import { createRejectedEvents } from "../../../src/intake/rejected-events.js";
import { createSenderLimit } from "../../../src/intake/sender-limit.js";
import { createModelRegistry } from "../../../src/learning/snapshot/registry.js";
import { createAutomaticTraining } from "../../../src/learning/training/automatic-training.js";
import { createTrainer, type TrainedModel } from "../../../src/learning/training/trainer.js";
import { createEventTaker } from "../../../src/server/event-effects.js";
import { createUuids } from "../../../src/server/uuids.js";
import { erasureResult } from "../../../src/services/erasure-messages.js";
import { assembleStore } from "../../../src/store/lmdb/store.js";
import type { Store } from "../../../src/store/ports/store.js";
import type { Disk } from "./disk.js";
import { DIRECTORY, simulatedEnvironment } from "./environment.js";
import type { Owner, World } from "./world.js";

/** The use cases of a process, wired as `server/stages.ts` does, and what they counted. */
export interface Core extends Wired {
  readonly store: Store;
  readonly counts: Map<string, number>;
}

/** One process of Aisle at a time: when it ends, another one is started. */
export class Server {
  core: Core | undefined;
  private life: Owner = { isDead: true, stoppedUntil: 0 };

  constructor(private readonly machine: Machine) {}

  /** The process that runs now. */
  get owner(): Owner {
    return this.life;
  }

  start(): void {
    const { world } = this.machine;
    const owner: Owner = { isDead: false, stoppedUntil: 0 };
    this.life = owner;
    // It goes on, and refuses writes, until it is replaced.
    const restart = () =>
      void world.after(world.between(100, 5000), () => {
        if (this.life === owner) this.kill(world.between(100, 2000));
      });
    const open = async () => {
      const core = await openCore(this.machine, owner, restart);
      if (this.life === owner && !owner.isDead) this.core = core;
    };
    world.after(world.between(50, 300), () => void open().catch(restart), owner);
  }

  /** The process ends at once; after so many milliseconds the next one is started. */
  kill(pauseMs: number): void {
    const { life } = this;
    const { world, disk } = this.machine;
    if (life.isDead) return;
    life.isDead = true;
    this.core = undefined;
    disk.killed(life);
    world.after(pauseMs, () => {
      if (this.life === life) this.start();
    });
  }

  stop(ms: number): void {
    this.life.stoppedUntil = this.machine.world.now + ms;
  }
}

/** What all processes share. */
export interface Machine {
  readonly world: World;
  readonly disk: Disk;
  /** Filled with the names under which each process asks for leases. */
  readonly holders: Map<string, Owner>;
  /** Names the machine's start. */
  readonly boot: () => string;
}

async function openCore(machine: Machine, owner: Owner, onLatched: () => void): Promise<Core> {
  const { world, disk, holders, boot } = machine;
  const counts = new Map<string, number>();
  const metrics = {
    count: (name: string, _labels?: unknown, by = 1) => void counts.set(name, (counts.get(name) ?? 0) + by),
    observe: () => undefined,
  };
  const began = world.now;
  const monotonic = () => world.now - began;
  const clock = new Clock({ system: () => world.systemTime, monotonic, uptime: () => world.now });
  const newId = createUuids({ now: clock.idNow, randomUuid: () => uuidFrom(world) });
  const reportFailure = () => undefined;
  const store = await assembleStore(simulatedEnvironment(disk, owner), {
    directory: DIRECTORY,
    now: clock.now,
    clock,
    machine: () => ({ boot: boot(), uptimeMs: world.now, monotonicMs: world.now }),
    newId,
    onDamage: () => undefined,
    metrics,
    reportFailure,
    onLatched,
    freeBytes: () => disk.freeBytes,
  });
  const newLeaseHolder = () => {
    const name = newId();
    holders.set(name, owner);
    return name;
  };
  return { ...wired({ world, store, clock, newId, newLeaseHolder, metrics, reportFailure, monotonic }), store, counts };
}

type Wired = ReturnType<typeof wired>;

function wired(deps: {
  readonly world: World;
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly newLeaseHolder: () => string;
  readonly metrics: { count(name: string, labels?: unknown, by?: number): void; observe(): void };
  readonly reportFailure: () => void;
  readonly monotonic: () => number;
}) {
  const { world, store, clock, newId, newLeaseHolder, metrics, reportFailure, monotonic } = deps;
  const { now } = clock;
  const newSecret = () => uuidFrom(world).replaceAll("-", "");
  const { unitOfWork } = store;
  const rejectedEvents = createRejectedEvents({ ...store, now, monotonicNow: monotonic, metrics, reportFailure });
  const take = createEventTaker({ newSecret, newId });
  const recording = { apps: store.apps, unitOfWork, take, rejectedEvents, now, newEventId: newId, metrics };
  const registry = createModelRegistry({
    models: store.models,
    load: async (modelId) => modelId,
    now,
    firstVersionOf: async () => "",
  });
  const trainer = createTrainer({
    apps: store.apps,
    models: store.models,
    leases: store.leases,
    runTraining: () => trained(world),
    publish: registry.publish,
    now,
    newModelId: newId,
    newLeaseHolder,
  });
  const automatic = createAutomaticTraining({
    apps: store.apps,
    models: store.models,
    events: store.events,
    productCounts: (appId) => unitOfWork.run(appId, (tx) => tx.productCounts),
    trainIfPossible: trainer.trainIfPossible,
    now,
  });
  const erasures = createErasures({
    ...store,
    settled: rejectedEvents.settled,
    resultOf: erasureResult,
    now,
    newId,
    newKey: () => newSecret() + newSecret(),
    metrics,
    reportFailure,
  });
  const again = (ms: number, work: () => Promise<void>) => setInterval(() => void work().catch(reportFailure), ms);
  again(10_000, () => automatic.trainDue(10_000, reportFailure));
  again(20_000, () => erasures.resume(reportFailure));
  return {
    recordEvent: createRecordEvent({ ...recording, senderLimit: createSenderLimit(monotonic) }),
    recordEvents: createRecordEvents(recording),
    setSubscription: createSetSubscription({ unitOfWork, now, newId, newSalt: newSecret }),
    getStatus: createGetStatus(store),
    erasures,
  };
}

/** A training that takes a while; its renewals of the lease may not get through meanwhile. */
function trained(world: World): Promise<TrainedModel> {
  const manifest = { formatNumber: 1, cutOff: 0, seed: 0, dataCounts: {}, algorithms: [] };
  const end = world.between(10, 20_000);
  return new Promise((resolve) => void setTimeout(() => resolve({ manifest, bytes: [Buffer.from("model")] }), end));
}

function uuidFrom(world: World): string {
  const hex = () => world.below(0x10000).toString(16).padStart(4, "0");
  return `${hex()}${hex()}-${hex()}-4${hex().slice(1)}-8${hex().slice(1)}-${hex()}${hex()}${hex()}`;
}
