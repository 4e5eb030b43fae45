import type { Socket } from "node:net";

/**
 * First bytes of a session that opens few streams: HTTP/2's preface, settings, and some calls. The shortest stream
 * that is opened and reset takes 25 bytes.
 */
const FEW_BYTES = 4096;
/** Misused sessions with few first bytes after which an address must wait. */
const MAX_MISUSED = 10;
/** Pause between two sessions that had to wait, ms: doubled after each misuse. */
const APART_MS = { first: 25, most: 200 };
/**
 * A session that would wait for longer is closed. We do not see its peer leave, so it would begin long after the
 * attack.
 */
const MAX_WAIT_MS = 3_000;
/** Time for which an address must wait after its last misuse, ms. */
const MEMORY_MS = 10_000;

/**
 * A session that reset streams faster than we could process them, broke the protocol, or held most of a resource that
 * ran out.
 */
export interface Misuse {
  readonly address: string;
  /** Bytes that its peer had sent at the start. */
  readonly firstBytes: number;
}

/** Lets HTTP/2 sessions begin. */
export interface SessionThrottle {
  /** Starts a session at once, unless the address must wait and the session may be misused again. */
  begin(socket: Socket): void;
  holdBack(misuse: Misuse): void;
  /** Closes the connections that wait. */
  destroyWaiting(): void;
}

interface HeldBack {
  /** Misused sessions that began with few bytes. */
  misused: number;
  readonly timer: NodeJS.Timeout;
}

/**
 * A session's first bytes can open and reset a thousand streams (CVE-2023-44487). That takes some 10 ms, and the session
 * can be closed only afterwards. This bounds how often its sender can do it again: such sessions begin one by one.
 *
 * Others behind the same address (a proxy, NAT) must not wait for that, so sessions with few first bytes begin at once.
 * If too many of those are misused too, all sessions of the address wait, those with few bytes before the others.
 */
export function createSessionThrottle(begin: (socket: Socket) => void): SessionThrottle {
  const heldBack = new Map<string, HeldBack>();
  const short = new Set<Socket>();
  const long = new Set<Socket>();
  let isResting = false;
  let apartMs = APART_MS.first;

  const next = () => {
    const [socket] = short.size > 0 ? short : long;
    isResting = socket !== undefined;
    if (socket === undefined) return;
    short.delete(socket);
    long.delete(socket);
    setTimeout(next, apartMs).unref();
    begin(socket);
  };

  const forget = (address: string) => {
    heldBack.delete(address);
    if (heldBack.size === 0) apartMs = APART_MS.first;
  };

  return {
    begin(socket) {
      const held = heldBack.get(socket.remoteAddress ?? "");
      const isShort = socket.readableLength <= FEW_BYTES;
      if (held === undefined || (isShort && held.misused <= MAX_MISUSED)) return begin(socket);
      const waiting = isShort ? short : long;
      const giveUp = () => {
        waiting.delete(socket);
        socket.destroy();
      };
      waiting.add(socket);
      socket.once("error", giveUp).once("close", giveUp);
      setTimeout(() => waiting.has(socket) && giveUp(), MAX_WAIT_MS).unref();
      if (!isResting) next();
    },
    holdBack({ address, firstBytes }) {
      apartMs = Math.min(APART_MS.most, 2 * apartMs);
      const held = heldBack.get(address);
      clearTimeout(held?.timer);
      heldBack.set(address, {
        misused: (held?.misused ?? 0) + (firstBytes <= FEW_BYTES ? 1 : 0),
        timer: setTimeout(forget, MEMORY_MS, address).unref(),
      });
    },
    destroyWaiting() {
      for (const socket of [...short, ...long]) socket.destroy();
    },
  };
}
