import { connect, type Socket } from "node:net";

/** A server under attack, on ports of this machine. */
export interface Target {
  readonly facadePort: number;
  readonly rpcPort: number;
  /** An app that exists. */
  readonly appId: string;
  /** Where the attack comes from; the system chooses when not given. */
  readonly from?: string;
}

/** One way to be hostile, for as long as the signal lets it. */
export interface Attack {
  readonly name: string;
  /** Who sends what how often, in a line. */
  readonly what: string;
  /**
   * Resolves when its connections are closed: after the signal has fired, or, where they do not come again, when the
   * server has closed each of them once.
   */
  run(target: Target, signal: AbortSignal, comeAgain?: boolean): Promise<void>;
}

/** A connection that was closed by the server is opened again after this long, ms. */
const REOPEN_MS = 100;

/** What is sent: once when the connection is there, and again each so often. Undefined: nothing. */
export interface Sending {
  readonly port: (target: Target) => number;
  readonly connections: number;
  readonly first?: (target: Target, n: number) => string | Uint8Array;
  readonly again?: {
    readonly everyMs: number;
    readonly bytes: (target: Target, n: number) => string | Uint8Array;
    /** Nothing more is sent before an answer, or a part of one, has come to what was. */
    readonly afterAnswer?: boolean;
  };
  /** Answers are left unread. */
  readonly unread?: boolean;
  /** How soon a connection that the server closed is opened again, ms. */
  readonly reopenMs?: number;
  /** Closed by us, with a reset, after so long, ms. */
  readonly leavesAfterMs?: number;
}

/** An attack over so many connections, each replaced when the server closes it. */
export function siege(name: string, what: string, sending: Sending): Attack {
  return {
    name,
    what,
    async run(target, signal, comeAgain = true) {
      const open = new Set<Socket>();
      let count = 0;
      let done = () => {};
      const over = new Promise<void>((resolve) => {
        done = resolve;
      });
      const begin = () => {
        if (signal.aborted) return;
        const n = count++;
        const socket = connect({
          port: sending.port(target),
          host: "127.0.0.1",
          noDelay: true,
          ...(target.from !== undefined && { localAddress: target.from }),
        });
        open.add(socket);
        const { first, again } = sending;
        let answered = first === undefined ? -1 : 0;
        const sendAgain = () => {
          // More than the server takes would only wait here.
          if (again === undefined || socket.writableLength > 0) return;
          if (again.afterAnswer === true && socket.bytesRead === answered) return;
          answered = socket.bytesRead;
          socket.write(again.bytes(target, n));
        };
        const timer = again && setInterval(sendAgain, again.everyMs);
        const leaving = sending.leavesAfterMs && setTimeout(() => socket.resetAndDestroy(), sending.leavesAfterMs);
        if (sending.unread !== true) socket.resume();
        socket.on("error", () => undefined); // its end tells
        socket.once("close", () => {
          clearInterval(timer);
          clearTimeout(leaving);
          open.delete(socket);
          if (comeAgain && !signal.aborted) setTimeout(begin, sending.reopenMs ?? REOPEN_MS);
          else if (open.size === 0) done();
        });
        if (first !== undefined) socket.write(first(target, n));
      };
      for (let n = 0; n < sending.connections; n++) begin();
      const stop = () => {
        for (const socket of open) socket.destroy();
        if (open.size === 0) done();
      };
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
      await over;
    },
  };
}
