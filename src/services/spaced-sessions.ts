import type { Socket } from "node:net";

/** Between two sessions of addresses that are held back, ms: twice as much after each misuse, up to the second. */
const APART_MS = { first: 25, most: 1000 };
/** How long an address is held back after its last misuse, ms. */
const MEMORY_MS = 10_000;

/** Lets HTTP/2 sessions begin. */
export interface SpacedSessions {
  /** Begins at once, or, for an address that is held back, after the others that wait. */
  begin(socket: Socket): void;
  /** From now on, for a while, sessions of this address begin one after the other with a pause between. */
  holdBack(address: string): void;
  /** Closes the connections that wait. */
  destroyWaiting(): void;
}

/**
 * A session's first bytes can open and reset a thousand streams, some 10 ms of work that is done before anybody can look at
 * them (CVE-2023-44487). The session is closed then; that its sender comes again at once is what this bounds. Others
 * behind the same address wait too, for a moment, and are served.
 */
export function createSpacedSessions(begin: (socket: Socket) => void): SpacedSessions {
  const heldBack = new Map<string, NodeJS.Timeout>();
  const waiting = new Set<Socket>();
  let isResting = false;
  let apartMs = APART_MS.first;

  const next = () => {
    const [socket] = waiting;
    isResting = socket !== undefined;
    if (socket === undefined) return;
    waiting.delete(socket);
    setTimeout(next, apartMs).unref();
    begin(socket);
  };

  const forget = (address: string) => {
    heldBack.delete(address);
    if (heldBack.size === 0) apartMs = APART_MS.first;
  };

  return {
    begin(socket) {
      if (!heldBack.has(socket.remoteAddress ?? "")) return begin(socket);
      const giveUp = () => {
        waiting.delete(socket);
        socket.destroy();
      };
      waiting.add(socket);
      socket.once("error", giveUp).once("close", giveUp);
      if (!isResting) next();
    },
    holdBack(address) {
      apartMs = Math.min(APART_MS.most, 2 * apartMs);
      clearTimeout(heldBack.get(address));
      heldBack.set(address, setTimeout(forget, MEMORY_MS, address).unref());
    },
    destroyWaiting() {
      for (const socket of waiting) socket.destroy();
    },
  };
}
