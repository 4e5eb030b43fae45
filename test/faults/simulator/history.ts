import { bareApp } from "../../../src/domain/app.js";
import { appKey } from "../../../src/store/keys.js";
import { APP, Client, type Network, type Told } from "./clients.js";
import { Disk } from "./disk.js";
import { simulatedEnvironment } from "./environment.js";
import { Files, useFiles } from "./files.js";
import { judge, judgeCounters } from "./judge.js";
import { Server } from "./server.js";
import { type Owner, World } from "./world.js";

export interface Outcome {
  readonly acknowledged: number;
  readonly commits: number;
  readonly faults: readonly string[];
  readonly done: Readonly<Record<string, number>>;
}

const LENGTH_MS = 90_000;
const SERVERS = 2;
const CLIENTS = ["x", "y", "z"];

/** One history: servers and callers over one disk, while things go wrong; then all is well for a while, and is judged. */
export async function runHistory(seed: number): Promise<Outcome> {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  try {
    const world = new World(seed);
    world.install();
    return await world.until(new History(world).run());
  } finally {
    Object.assign(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval });
  }
}

class History {
  private readonly disk: Disk;
  private readonly files: Files;
  private readonly network: Network = { lossShare: 0 };
  private readonly done: Record<string, number> = {};
  private readonly faults: string[] = [];
  private boots = 1;
  /** Processes by the names under which they held leases. */
  private readonly holders = new Map<string, Owner>();
  private readonly servers: readonly Server[];
  private readonly told: Told = {
    sent: new Map(),
    registers: new Map(),
    leaving: new Set(),
    erasures: new Map(),
    acknowledged: 0,
    fault: (what) => {
      if (!this.faults.includes(what)) this.faults.push(what);
    },
  };

  constructor(private readonly world: World) {
    this.disk = new Disk(world);
    this.files = new Files(world);
    useFiles(this.files);
    this.servers = Array.from(
      { length: SERVERS },
      () => new Server({ world, disk: this.disk, holders: this.holders, boot: () => `boot ${this.boots}` }),
    );
  }

  async run(): Promise<Outcome> {
    const { world, servers, disk, network, told } = this;
    for (const server of servers) server.start();
    const first = await this.running();
    await first.store.apps.create(bareApp(APP, world.systemTime));
    this.watchLeases();
    const clients = CLIENTS.map((name) => new Client(name, world, servers, network, told).run(LENGTH_MS));
    await this.injectFaults();
    await Promise.all(clients);
    // All is well again: what was begun is completed, erasures of ended processes after a minute.
    await world.pause(200_000);
    for (const { core } of servers) {
      if (core === undefined) told.fault("stuck: a server does not start");
      else judgeCounters(core, told);
    }
    const { store } = await this.running();
    await judge(store, disk, told);
    for (const server of servers) server.kill(1e9);
    return { acknowledged: told.acknowledged, commits: disk.commits, faults: this.faults, done: this.done };
  }

  /** A server that serves. */
  private async running() {
    for (;;) {
      const core = this.servers.find(({ owner, core }) => core !== undefined && !owner.isDead)?.core;
      if (core !== undefined) return core;
      await this.world.pause(50);
    }
  }

  private async injectFaults(): Promise<void> {
    const { world, servers, disk, network } = this;
    const faults: Record<string, () => Promise<void> | void> = {
      kill: () => world.oneOf(servers).kill(world.between(50, 3000)),
      "power cut": () => {
        for (const server of servers) server.kill(world.between(500, 5000));
        disk.cutPower();
        this.files.cutPower();
        this.boots++;
      },
      stop: () => world.oneOf(servers).stop(world.between(100, 40_000)),
      clock: () =>
        this.forAWhile(
          3000,
          () => (world.clockOffset = world.oneOf([-90_000_000, -5000, 5000, 90_000_000])),
          () => (world.clockOffset = 0),
        ),
      network: () =>
        this.forAWhile(
          5000,
          () => (network.lossShare = 0.4),
          () => (network.lossShare = 0.02),
        ),
      partition: () => this.partition(),
      "full disk": () =>
        this.forAWhile(
          3000,
          () => (disk.freeBytes = 2 ** 20),
          () => (disk.freeBytes = 2 ** 40),
        ),
      "failed write": () =>
        this.forAWhile(
          500,
          () => (disk.faults.failedWrites = 0.5),
          () => (disk.faults.failedWrites = 0),
        ),
      "failed sync": () =>
        this.forAWhile(
          500,
          () => (disk.faults.failedSyncs = 0.5),
          () => (disk.faults.failedSyncs = 0),
        ),
      "slow disk": () =>
        this.forAWhile(
          500,
          () => (disk.faults.stalls = 0.3),
          () => (disk.faults.stalls = 0),
        ),
    };
    network.lossShare = 0.02;
    while (world.now < LENGTH_MS) {
      await world.pause(world.between(0, 10_000));
      const name = world.oneOf(Object.keys(faults));
      this.done[name] = (this.done[name] ?? 0) + 1;
      void faults[name]?.(); // several may overlap
    }
    network.lossShare = 0;
  }

  private async forAWhile(ms: number, begin: () => void, end: () => void): Promise<void> {
    begin();
    await this.world.pause(this.world.between(10, ms));
    end();
  }

  /** A server gets no answers of the disk for longer than a lease lasts. */
  private partition(): void {
    const server = this.world.oneOf(this.servers);
    this.disk.cutOff(server.owner, this.world.between(1000, 30_000));
  }

  /** Whenever a training takes effect, its process must hold the newest lease. */
  private watchLeases(): void {
    const { disk, holders, told } = this;
    const { leases } = simulatedEnvironment(disk, { isDead: false, stoppedUntil: 0 }).tables;
    disk.onCommit = (writes, owner) => {
      if (!writes.some(([table, , bytes]) => (table === "pointers" || table === "models") && bytes !== undefined))
        return;
      const lease = leases.get(appKey(APP));
      this.done.published = (this.done.published ?? 0) + 1;
      if (lease === undefined || holders.get(lease.holder) !== owner || lease.until === 0)
        told.fault(`fencing: a model took effect without the lease, which is ${JSON.stringify(lease)}`);
    };
  }
}
