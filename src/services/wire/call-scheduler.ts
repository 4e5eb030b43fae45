/**
 * Gives calls turns on the event loop. Work starts at once while there is little of it. More work waits: each turn of the
 * event loop spends a few milliseconds on calls, round-robin over addresses and over the connections of each. So a
 * connection with a thousand calls delays others by one call and not by a thousand.
 */

/** Time for calls in one turn of the event loop, ms. Sockets of other callers are read between two turns. */
const TURN_MS = 2;

/** A caller: one connection. */
export interface Caller {
  readonly address: string;
  /** True while it does not read its answers: then its other calls wait. */
  readonly isBlocked: boolean;
}

export interface CallScheduler {
  run(caller: Caller, work: () => void): void;
  /** The caller reads its answers again. */
  unblock(caller: Caller): void;
  /** The caller has disconnected; its work is dropped. */
  forget(caller: Caller): void;
}

/** `now` is in ms and never goes back. */
export function createCallScheduler(now: () => number): CallScheduler {
  /** In order of their turns. */
  const waiting = new Map<string, Map<Caller, (() => void)[]>>();
  const blocked = new Map<Caller, (() => void)[]>();
  let usedMs = 0;
  let isAsked = false;

  const ask = () => {
    if (isAsked) return;
    isAsked = true;
    setImmediate(nextTurn);
  };
  const perform = (work: () => void) => {
    const beganAt = now();
    try {
      work();
    } finally {
      usedMs += now() - beganAt;
      ask();
    }
  };
  const nextTurn = () => {
    isAsked = false;
    usedMs = 0;
    while (waiting.size > 0 && usedMs < TURN_MS) {
      const work = takeNext();
      if (work !== undefined) perform(work);
    }
    if (waiting.size > 0) ask();
  };
  /** Undefined when the next caller is blocked. */
  const takeNext = (): (() => void) | undefined => {
    for (const [address, callers] of waiting) {
      waiting.delete(address);
      for (const [caller, works] of callers) {
        callers.delete(caller);
        const work = caller.isBlocked ? undefined : works.shift();
        if (work === undefined) blocked.set(caller, [...works, ...(blocked.get(caller) ?? [])]);
        else if (works.length > 0) callers.set(caller, works);
        if (callers.size > 0) waiting.set(address, callers);
        return work;
      }
    }
    return undefined;
  };
  const put = (caller: Caller, works: readonly (() => void)[]) => {
    const callers = waiting.get(caller.address) ?? new Map<Caller, (() => void)[]>();
    waiting.set(caller.address, callers);
    const own = callers.get(caller);
    if (own === undefined) callers.set(caller, [...works]);
    else own.push(...works);
    ask();
  };

  return {
    run(caller, work) {
      const held = blocked.get(caller);
      if (held !== undefined) held.push(work);
      else if (caller.isBlocked) blocked.set(caller, [work]);
      else if (waiting.size === 0 && usedMs < TURN_MS) perform(work);
      else put(caller, [work]);
    },
    unblock(caller) {
      const works = blocked.get(caller);
      blocked.delete(caller);
      if (works !== undefined && works.length > 0) put(caller, works);
    },
    forget(caller) {
      blocked.delete(caller);
      const callers = waiting.get(caller.address);
      callers?.delete(caller);
      if (callers?.size === 0) waiting.delete(caller.address);
    },
  };
}
