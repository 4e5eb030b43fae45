/** Messages of the MongoDB wire protocol, as far as drivers of today send them: OP_MSG, and OP_QUERY for the greeting. */
import type { Socket } from "node:net";
import { BSON, type Document } from "mongodb";

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER_BYTES = 16;

/** Values stay of the types they have on the wire. */
const AS_SENT = { promoteValues: false, promoteBuffers: false } as const;

export interface Request {
  readonly id: number;
  readonly body: Document;
  /** The greeting, which has a format of its own. */
  readonly isLegacy: boolean;
}

/** Calls `take` with each whole message that arrives. */
export function onRequests(socket: Socket, take: (request: Request) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on("data", (bytes: Buffer) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      take(readRequest(rest.subarray(0, length)));
      rest = rest.subarray(length);
    }
  });
}

function readRequest(message: Buffer): Request {
  const id = message.readInt32LE(4);
  const operation = message.readInt32LE(12);
  if (operation === OP_MSG) return { id, body: readSections(message), isLegacy: false };
  if (operation !== OP_QUERY) throw new Error(`operation ${operation} is not spoken here`);
  const nameEnd = message.indexOf(0, HEADER_BYTES + 4);
  const database = message.toString("utf8", HEADER_BYTES + 4, nameEnd).replace(/\.\$cmd$/, "");
  const from = nameEnd + 1 + 8;
  const query = BSON.deserialize(message.subarray(from, from + message.readInt32LE(from)), AS_SENT);
  return { id, body: { ...query, $db: database }, isLegacy: true };
}

/** The command; lists that came as sections of their own are put in their places. */
function readSections(message: Buffer): Document {
  let body: Document = {};
  for (let at = HEADER_BYTES + 4; at < message.length; ) {
    const kind = message[at++];
    const length = message.readInt32LE(at);
    if (kind === 0) body = { ...BSON.deserialize(message.subarray(at, at + length), AS_SENT), ...body };
    else {
      const nameEnd = message.indexOf(0, at + 4);
      const documents: Document[] = [];
      for (let n = nameEnd + 1; n < at + length; n += message.readInt32LE(n))
        documents.push(BSON.deserialize(message.subarray(n, n + message.readInt32LE(n)), AS_SENT));
      body[message.toString("latin1", at + 4, nameEnd)] = documents;
    }
    at += length;
  }
  return body;
}

export function answerTo({ id, isLegacy }: Request, answer: Document): Buffer {
  const body = BSON.serialize(answer, { ignoreUndefined: true });
  const head = Buffer.alloc(isLegacy ? HEADER_BYTES + 20 : HEADER_BYTES + 5);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(id, 8);
  head.writeInt32LE(isLegacy ? OP_REPLY : OP_MSG, 12);
  if (isLegacy) head.writeInt32LE(1, HEADER_BYTES + 16); // one document
  return Buffer.concat([head, body]);
}
