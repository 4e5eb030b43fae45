/** Milliseconds since 1970, UTC. Always passed in, so that tests control the time. */
export type Now = () => number;

/** The system clock is followed through steps of at most this size. A larger one is a jump. */
export const MAX_STEP_MS = 2 * 60_000;
/** A jump that has lasted this long is accepted. Smaller steps add up to at most `MAX_STEP_MS` in this time. */
export const ACCEPT_AFTER_MS = 10 * 60_000;
/** A process at work marks the time more often than this. */
const MARK_AGE_MS = 60_000;
/** An accepted jump, or a long gap before the start, counts for deletions after this long. */
export const SETTLE_AFTER_MS = 3600_000;

/** A store's record of the time, for the next start and for other processes. */
export interface ClockMark {
  /** The time of the mark. */
  readonly at: number;
  /** The last known good time. */
  readonly goodAt: number;
  /** Begins with the time at which the store was made and advances only while a server runs. */
  readonly livedAt: number;
  /** The time in the newest id. */
  readonly idAt: number;
}

export type ClockNews =
  /** The system clock jumped; the clock ignores it. */
  | { readonly kind: "jumped"; readonly byMs: number }
  /** The system clock agrees again. */
  | { readonly kind: "back" }
  /** The clock follows the jump now. */
  | { readonly kind: "accepted"; readonly byMs: number };

export interface ClockSources {
  /** The system's wall clock. */
  readonly system: Now;
  /** Never set; may stand still while the machine sleeps. */
  readonly monotonic: Now;
  /** Never set, and goes on while the machine sleeps. */
  readonly uptime?: Now;
  readonly tell?: (news: ClockNews) => void;
}

/**
 * The one clock of a server. It follows the system clock, and goes on by monotonic time when that jumps, until the jump has lasted
 * `ACCEPT_AFTER_MS` or proves to be the machine's sleep. Three more readings serve what a wrong clock would harm for good:
 *
 *   idNow       for ids: never goes back, over all processes of a store and over restarts
 *   livedNow    for what is forgotten after a time: counts only time in which a server ran
 *   settledNow  for deletions: follows an accepted jump, or a gap before the start, only after `SETTLE_AFTER_MS`
 *
 * Without a store's mark (`resume`) the system clock is believed at the start.
 */
export class Clock {
  /** Added to monotonic time: the time when the system clock was last confirmed, and the one given out last. */
  private anchor: number;
  private followed: number;
  private anchoredAt: number;
  /** A jump that is not followed yet: its offset, and since when it lasts. */
  private jump: { readonly offset: number; readonly since: number } | undefined;
  /** Set while `settledNow` is behind: its offset, and when that ends. */
  private unsettled: { readonly offset: number; readonly until: number } | undefined;
  /** At the start only the system clock spoke for this time. */
  private isUnproven = false;
  /** At the start only the mark did, and the system clock was before it. */
  private isBehind = false;
  private lived: number;
  private id: { readonly time: number; readonly at: number };
  /** How long the machine had slept, when last looked at. */
  private slept: number;
  /** For durations: milliseconds that never go back. */
  readonly monotonicNow: Now;

  constructor(private readonly sources: ClockSources) {
    this.monotonicNow = sources.monotonic;
    const at = sources.monotonic();
    const time = sources.system();
    this.anchor = this.followed = this.lived = time - at;
    this.anchoredAt = at;
    this.id = { time: Number.NEGATIVE_INFINITY, at };
    this.slept = this.sleptMs(at);
  }

  /** The time of all timestamps. */
  readonly now: Now = () => {
    const at = this.sources.monotonic();
    const time = this.sources.system();
    if (Math.abs(time - at - this.anchor) > MAX_STEP_MS) return this.jumped(at, time - at);
    if (this.jump !== undefined) {
      this.jump = undefined;
      this.sources.tell?.({ kind: "back" });
    }
    this.followed = time - at;
    if (at - this.anchoredAt >= ACCEPT_AFTER_MS) this.follow(at, this.followed);
    return time;
  };

  readonly livedNow: Now = () => Math.round(this.sources.monotonic() + this.lived);

  readonly settledNow: Now = () => {
    const time = this.now();
    const at = this.sources.monotonic();
    if (this.unsettled !== undefined && at >= this.unsettled.until) this.settle();
    return this.unsettled === undefined ? time : Math.min(time, Math.round(at + this.unsettled.offset));
  };

  /** Ahead of `now` after a wrong clock; then it runs at half speed until `now` has caught up. */
  readonly idNow: Now = () => {
    const at = this.sources.monotonic();
    const time = Math.max(this.now(), this.id.time + (at - this.id.at) / 2);
    if (time > this.id.time) this.id = { time, at };
    return Math.floor(this.id.time);
  };

  /** How far the system clock is from this one. */
  differenceMs(): number {
    const time = this.now();
    return Math.abs(this.sources.system() - time);
  }

  mark(): ClockMark {
    return { at: this.now(), goodAt: this.settledNow(), livedAt: this.livedNow(), idAt: this.idNow() };
  }

  /**
   * Begins where the store's last server ended. `elsewhere` are the times by other sources, if there are any. A system clock
   * that agrees with none of them, or is before the mark without one, is treated as one that has jumped. The last server may
   * have run for `unmarkedMs` after the mark.
   */
  resume(mark: ClockMark, elsewhere: readonly number[] = [], unmarkedMs = 0): void {
    const at = this.sources.monotonic();
    const system = this.sources.system();
    const agrees = [...elsewhere, mark.goodAt].some((time) => Math.abs(time - system) <= MAX_STEP_MS);
    const earliest = mark.goodAt - MAX_STEP_MS;
    const times = agrees ? [system] : [system, ...elsewhere].filter((time) => time >= earliest);
    const time = times.length === 0 ? mark.goodAt : Math.min(...times);
    this.isBehind = times.length === 0;
    this.isUnproven = !agrees && elsewhere.length === 0 && times.length > 0;
    this.follow(at, time - at);
    this.followed = this.anchor;
    this.lived = mark.livedAt - at;
    this.id = { time: mark.idAt > time ? mark.idAt + unmarkedMs : mark.idAt, at };
    this.unsettled =
      Math.abs(time - mark.goodAt) <= MAX_STEP_MS
        ? undefined
        : { offset: mark.goodAt - at, until: at + SETTLE_AFTER_MS };
    this.now();
  }

  /** Adopts the mark of another process. */
  learn(mark: ClockMark): void {
    const at = this.sources.monotonic();
    this.lived = Math.max(this.lived, mark.livedAt - at);
    const time = this.now();
    const idTime = mark.idAt + Math.min(Math.max(time - mark.at, 0), MARK_AGE_MS) / 2;
    if (idTime > this.id.time + (at - this.id.at) / 2) this.id = { time: idTime, at };
    if (this.unsettled === undefined) return;
    if (Math.abs(time - mark.goodAt) <= MAX_STEP_MS) this.settle();
  }

  /** Takes in the time by another machine's clock: as long as that agrees with this clock, a jump is not accepted. */
  hear(time: number): void {
    if (Math.abs(time - this.now()) > MAX_STEP_MS || this.jump === undefined) return;
    this.jump = { ...this.jump, since: this.sources.monotonic() };
  }

  /** The time while the system clock is elsewhere, `offset` from monotonic time. */
  private jumped(at: number, offset: number): number {
    const byMs = offset - this.followed;
    if (this.jump === undefined || Math.abs(offset - this.jump.offset) > MAX_STEP_MS) {
      if (this.hasSlept(at, offset - this.anchor) || this.isCorrection(offset)) return this.accept(at, offset, byMs);
      this.jump = { offset, since: at };
      this.sources.tell?.({ kind: "jumped", byMs });
    } else if (at - this.jump.since >= ACCEPT_AFTER_MS) return this.accept(at, offset, byMs);
    return Math.round(at + this.followed);
  }

  /** Whether the system clock, wrong at the start, is set right: towards the mark, or beyond it. */
  private isCorrection(offset: number): boolean {
    if (this.isBehind) return offset > this.followed;
    const earliest = (this.unsettled?.offset ?? this.followed) - MAX_STEP_MS;
    return this.isUnproven && offset < this.followed && offset >= earliest;
  }

  private accept(at: number, offset: number, byMs: number): number {
    this.unsettled = { offset: this.unsettled?.offset ?? this.followed, until: at + SETTLE_AFTER_MS };
    this.jump = undefined;
    this.isBehind = this.isUnproven = false;
    this.followed = offset;
    this.follow(at, offset);
    this.sources.tell?.({ kind: "accepted", byMs });
    return Math.round(at + offset);
  }

  private settle(): void {
    this.unsettled = undefined;
    this.isUnproven = false;
  }

  private follow(at: number, offset: number): void {
    this.anchor = offset;
    this.anchoredAt = at;
  }

  /** Whether the machine has slept since it was last asked, for about as long. */
  private hasSlept(at: number, forMs: number): boolean {
    const before = this.slept;
    this.slept = this.sleptMs(at);
    return Math.abs(this.slept - before - forMs) <= MAX_STEP_MS;
  }

  private sleptMs(at: number): number {
    return (this.sources.uptime?.() ?? at) - at;
  }
}
