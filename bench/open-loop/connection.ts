import { connect, type Socket } from "node:net";
import { type Answer, AnswerReader } from "./answer-reader.js";

export interface ConnectionEvents {
  answered(connection: Connection, answer: Answer): void;
  /** The connection is gone, with the request that was under way if there was one. */
  ended(connection: Connection): void;
}

/** A connection with one request at a time: prepared bytes go out, and little is read of what comes back. */
export class Connection {
  /** When the request under way was due; undefined when there is none. */
  dueAt: number | undefined;
  /** When the last request left. */
  sentAt = 0;
  private readonly socket: Socket;
  private readonly reader = new AnswerReader();

  constructor(
    address: { readonly host: string; readonly port: number },
    private readonly events: ConnectionEvents,
  ) {
    // One buffer a connection, so that no answer costs a new one.
    const onread = {
      buffer: Buffer.allocUnsafe(4096),
      callback: (bytes: number, buffer: Uint8Array) => this.take(bytes, buffer),
    };
    this.socket = connect({ ...address, noDelay: true, onread });
    this.socket.on("error", () => undefined); // the end tells
    this.socket.once("close", () => this.events.ended(this));
  }

  send(request: Uint8Array, dueAt: number): void {
    this.dueAt = dueAt;
    this.sentAt = performance.now();
    this.socket.write(request);
  }

  destroy(): void {
    this.socket.destroy();
  }

  private take(bytes: number, buffer: Uint8Array): boolean {
    const answer = this.reader.take(Buffer.from(buffer.buffer, buffer.byteOffset, bytes).toString("latin1"));
    if (answer !== undefined) this.events.answered(this, answer);
    return true;
  }
}
