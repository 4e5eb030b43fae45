import type { Storage, Time } from "./storage.js";

interface Member {
  readonly name: string;
  /** The member has all commits up to this one. */
  has: Time;
  /** Milliseconds until it has a commit; undefined while it gets none. */
  lagMs: number | undefined;
}

/** Three members that share one storage: each has the commits of the log up to a time of its own. */
export class Replication {
  primary = 0;
  term = 1;
  private waiting: { readonly time: Time; readonly done: (isThere: boolean) => void }[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(
    private readonly storage: Storage,
    readonly members: readonly Member[],
  ) {}

  /** What most of the members have. */
  get majority(): Time {
    const times = this.members.map(({ has }, n) => (n === this.primary ? this.storage.now : has));
    return times.sort((a, b) => b - a)[Math.floor(times.length / 2)] ?? 0;
  }

  /** There is a new commit: the secondaries get it after their lags. */
  committed(): void {
    const { now } = this.storage;
    for (const [n, member] of this.members.entries()) {
      if (n === this.primary) member.has = now;
      else if (member.lagMs === 0) member.has = now;
      else if (member.lagMs !== undefined) this.later(member, now, member.lagMs);
    }
    this.tell();
  }

  /** Lets a secondary have all there is now. */
  catchUp(): void {
    for (const [n, member] of this.members.entries())
      if (n === this.primary || member.lagMs !== undefined) member.has = this.storage.now;
    this.tell();
  }

  /** True when most members have the commit of this time, false when it was rolled back or did not come in time. */
  hasMajority(time: Time, limitMs: number | undefined): Promise<boolean> {
    if (this.majority >= time) return Promise.resolve(true);
    return new Promise((resolve) => {
      const one = { time, done: resolve };
      this.waiting.push(one);
      if (limitMs === undefined) return;
      const timer = setTimeout(() => {
        this.timers.delete(timer);
        this.waiting = this.waiting.filter((other) => other !== one);
        resolve(false);
      }, limitMs);
      this.timers.add(timer);
    });
  }

  /** Makes the secondary that has most the primary; what it lacks is rolled back. */
  failOver(): void {
    const secondaries = [...this.members.keys()].filter((n) => n !== this.primary);
    const [next = 0] = secondaries.sort((a, b) => this.members[b]!.has - this.members[a]!.has);
    const { has } = this.members[next]!;
    this.storage.rollBackTo(has);
    this.primary = next;
    this.term++;
    for (const member of this.members) member.has = Math.min(member.has, has);
    this.storage.now++; // times of the new term are later than all of the old one
    const { waiting } = this;
    this.waiting = [];
    for (const { time, done } of waiting) done(time <= has);
    this.committed();
  }

  close(): void {
    for (const timer of this.timers) clearTimeout(timer);
    for (const { done } of this.waiting) done(false);
  }

  private later(member: Member, time: Time, ms: number): void {
    const { term } = this;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      if (term !== this.term) return;
      member.has = Math.max(member.has, time);
      this.tell();
    }, ms);
    this.timers.add(timer);
  }

  private tell(): void {
    const { majority } = this;
    const done = this.waiting.filter(({ time }) => time <= majority);
    if (done.length === 0) return;
    this.waiting = this.waiting.filter(({ time }) => time > majority);
    for (const one of done) one.done(true);
  }
}
