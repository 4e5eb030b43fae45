import type { Socket } from "node:net";

/** The preface of HTTP/2 with prior knowledge. No HTTP/1 request line can begin like that. */
const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n");
/** Node's HTTP/1.1 parser neither answers nor ends a request of this method, so all of them go to HTTP/2. */
const METHOD = PREFACE.subarray(0, 4);

/** Bytes read before a session begins; the system buffers the rest. */
const MAX_BYTES = 64 * 1024;

/**
 * Reads the first bytes of a connection, puts them back and hands the socket on. A connection that opens HTTP/2 goes to
 * `http2`, which refuses a wrong preface. All others go to `http1`, which answers 400 to bytes that are not HTTP. The
 * first differing byte decides. A peer that sends too little within `timeoutMs` is cut off.
 *
 * Some proxies open a connection for each call and close it at the caller's deadline. A busy process finds many of them
 * closed already. A session and a call cost five times as much as the rest of a connection. So a session begins one turn
 * of the event loop later, and only if its peer is still there.
 */
export function createProtocolDetection(deps: {
  timeoutMs: number;
  http1: (socket: Socket) => void;
  http2: (socket: Socket) => void;
}): { take(socket: Socket): void; destroyWaiting(): void } {
  const waiting = new Set<Socket>();

  return {
    take(socket) {
      let seen: Buffer = Buffer.alloc(0);
      let isHttp2 = false;
      const giveUp = () => socket.destroy();
      const timer = setTimeout(giveUp, deps.timeoutMs);
      const forget = () => {
        clearTimeout(timer);
        waiting.delete(socket);
      };
      const putBack = () => {
        forget();
        socket.off("data", onData).off("end", giveUp).off("error", giveUp).off("close", forget);
        socket.pause();
        socket.unshift(seen);
      };
      const beginHttp2 = () => {
        if (socket.destroyed) return;
        // An HTTP/2 session reads buffered bytes itself; a flowing socket would lose them.
        putBack();
        deps.http2(socket);
      };
      const onData = (chunk: Buffer) => {
        seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
        if (seen.length >= MAX_BYTES) socket.pause();
        if (isHttp2) return;
        const length = Math.min(seen.length, PREFACE.length);
        const matches = seen.subarray(0, length).equals(PREFACE.subarray(0, length));
        if (matches && length < PREFACE.length) return;
        isHttp2 = matches || seen.subarray(0, METHOD.length).equals(METHOD);
        if (isHttp2) {
          // The first callback runs before sockets are polled, the second after it.
          setImmediate(() => setImmediate(beginHttp2));
        } else {
          putBack();
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
