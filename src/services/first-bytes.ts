import type { Socket } from "node:net";

/** How HTTP/2 with prior knowledge opens a connection. No HTTP/1 request line can begin so. */
const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n");
/** Node's HTTP/1.1 parser neither answers nor ends a request of this method, so all of them go to HTTP/2. */
const METHOD = PREFACE.subarray(0, 4);

/**
 * Looks at the first bytes of a connection, puts them back and hands the socket on: those that open HTTP/2 to
 * `http2`, all others to `http1` (which also answers what is no HTTP at all with 400). A wrong preface goes to
 * `http2` too, which refuses it. The choice falls at the first byte that differs. A peer that sends nothing, or not enough, within `timeoutMs` is cut off.
 */
export function createFirstBytes(deps: {
  timeoutMs: number;
  http1: (socket: Socket) => void;
  http2: (socket: Socket) => void;
}): { take(socket: Socket): void; destroyWaiting(): void } {
  const waiting = new Set<Socket>();

  return {
    take(socket) {
      let seen: Buffer = Buffer.alloc(0);
      const giveUp = () => socket.destroy();
      const timer = setTimeout(giveUp, deps.timeoutMs);
      const forget = () => {
        clearTimeout(timer);
        waiting.delete(socket);
      };
      const onData = (chunk: Buffer) => {
        seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
        const length = Math.min(seen.length, PREFACE.length);
        const matches = seen.subarray(0, length).equals(PREFACE.subarray(0, length));
        if (matches && length < PREFACE.length) return;
        forget();
        socket.off("data", onData).off("end", giveUp).off("error", giveUp).off("close", forget);
        socket.pause();
        socket.unshift(seen);
        if (matches || seen.subarray(0, METHOD.length).equals(METHOD)) {
          // An HTTP/2 session reads what is buffered itself; a flowing socket would lose it.
          deps.http2(socket);
        } else {
          deps.http1(socket);
          socket.resume();
        }
      };
      waiting.add(socket);
      socket.on("data", onData).on("end", giveUp).on("error", giveUp).on("close", forget);
    },
    destroyWaiting() {
      for (const socket of waiting) socket.destroy();
    },
  };
}
