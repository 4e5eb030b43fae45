import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { Owner } from "../fixtures/server.js";

/** A connection on which any bytes can be sent. */
export interface RawSocket {
  readonly socket: Socket;
  /** Everything that came so far. */
  received(): Buffer;
  /** Resolves when what came makes `enough` true; rejects when the connection ends before. */
  until(enough: (received: Buffer) => boolean): Promise<Buffer>;
  /** Resolves with everything that came when the other side has closed. */
  readonly closed: Promise<Buffer>;
}

/** Connects to a port of this machine and sends bytes. It is closed with its owner. */
export function openRaw(port: number, bytes: string | Uint8Array = "", owner: Owner = onTestFinished): RawSocket {
  return talkOn(connect({ port, host: "127.0.0.1", noDelay: true }), bytes, owner);
}

function talkOn(socket: Socket, bytes: string | Uint8Array, owner: Owner): RawSocket {
  const chunks: Buffer[] = [];
  const received = () => Buffer.concat(chunks);
  const closed = new Promise<Buffer>((resolve) => socket.once("close", () => resolve(received())));
  socket.on("error", () => undefined); // its end tells
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  owner(async () => void socket.destroy());
  if (bytes.length > 0) socket.write(bytes);
  return {
    socket,
    received,
    closed,
    until: (enough) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!enough(received())) return;
          socket.off("data", look);
          resolve(received());
        };
        socket.on("data", look);
        closed.then(() => reject(new Error("the connection ended before the answer")));
        look();
      }),
  };
}

/** Sends bytes and gives all that comes until the other side closes, as latin1. */
export async function talk(port: number, bytes: string | Uint8Array): Promise<string> {
  return (await openRaw(port, bytes).closed).toString("latin1");
}
