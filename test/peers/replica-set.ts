/**
 * Plays the primary of a replica set over a server that has only one member: a proxy that reads the wire protocol.
 *
 * While replication is held, the primary executes writes but does not acknowledge them, and reads with majority read
 * concern answer what was there before. A failover then undoes these writes and cuts the connections of their callers.
 *
 * A new primary may lag: for a while it answers majority reads as of an earlier time, but for those that name a later one.
 *
 * Limits: writes name their documents by `_id`, as those of commits and heads do; one held write of a document at a time.
 */
import { connect, createServer, type Socket } from "node:net";
import { BSON, type Document } from "mongodb";

/** A command on its way to the primary. */
export interface Command {
  readonly name: string;
  readonly collection: string;
  readonly body: Document;
}

export interface SimulatedReplicaSet {
  readonly url: (database: string) => string;
  /** From now on, writes to these collections reach the primary alone. */
  hold(...collections: readonly string[]): void;
  /** Writes that the primary alone has. */
  readonly held: () => number;
  /** The other members have all writes: they are acknowledged. */
  replicate(): void;
  /** Keeps a document as it is; from the call of what is returned on, majority reads that name no time find it so. */
  lag(database: string, collection: string, id: string): Promise<() => void>;
  /** A member without the held writes becomes primary. */
  failOver(): Promise<void>;
  /** Called before each command is executed. */
  onCommand: (command: Command) => void | Promise<void>;
  close(): Promise<void>;
}

interface HeldWrite {
  readonly database: string;
  readonly collection: string;
  readonly id: string;
  /** The document before; undefined when there was none. */
  readonly before: Document | undefined;
  readonly release: () => void;
  readonly caller: Socket;
}

const OP_MSG = 2013;
const WRITES = new Set(["insert", "update", "delete"]);

export async function openReplicaSet(target: string): Promise<SimulatedReplicaSet> {
  const { hostname: host, port } = new URL(target);
  const sockets = new Set<Socket>();
  let holds: readonly string[] = [];
  let held: HeldWrite[] = [];
  let lagging: { readonly collection: string; readonly document: Document } | undefined;
  let clock = 0;
  const primary = await openPrimary(host, Number(port), sockets);

  const release = () => {
    holds = [];
    const released = held;
    held = [];
    return released;
  };

  const readOne = async (database: string, collection: string, _id: string): Promise<Document | undefined> => {
    const { cursor } = await primary.ask({ find: collection, filter: { _id }, limit: 1, $db: database });
    return cursor.firstBatch[0];
  };

  const write = async (body: Document, { name, collection }: Command, caller: Socket): Promise<Document> => {
    const ids = idsOf(name, body);
    const database: string = body.$db;
    const before = await Promise.all(ids.map((id) => readOne(database, collection, id)));
    const answer = await primary.ask(body);
    const failed = new Set((answer.writeErrors ?? []).map(({ index }: Document) => Number(index)));
    await Promise.all(
      ids.map((id, n) =>
        failed.has(n)
          ? undefined
          : new Promise<void>((resolve) => {
              held.push({ database, collection, id, before: before[n], release: resolve, caller });
            }),
      ),
    );
    return answer;
  };

  /** What a majority of the members has of what the primary found. */
  const withoutHeld = (answer: Document, collection: string): Document => {
    if (answer.cursor?.firstBatch === undefined) return answer;
    const firstBatch = answer.cursor.firstBatch.flatMap((found: Document) => {
      const write = held.find((one) => one.collection === collection && one.id === found._id);
      return write === undefined ? [found] : write.before === undefined ? [] : [write.before];
    });
    return { ...answer, cursor: { ...answer.cursor, firstBatch } };
  };

  const answerOf = async (body: Document, caller: Socket): Promise<Document> => {
    const [name = ""] = Object.keys(body);
    const command = { name, collection: String(body[name]), body };
    await set.onCommand(command);
    if (WRITES.has(name) && holds.includes(command.collection)) return write(body, command, caller);
    const { afterClusterTime, ...readConcern } = body.readConcern ?? {};
    const answer = await primary.ask(body.readConcern === undefined ? body : { ...body, readConcern });
    if (readConcern.level !== "majority") return answer;
    if (afterClusterTime === undefined && lagging?.collection === command.collection) {
      const { document } = lagging;
      const firstBatch = answer.cursor.firstBatch.map((found: Document) =>
        found._id === document._id ? document : found,
      );
      return { ...answer, cursor: { ...answer.cursor, firstBatch } };
    }
    return withoutHeld(answer, command.collection);
  };

  const server = createServer((client) => {
    sockets.add(client);
    client.on("close", () => sockets.delete(client));
    client.on("error", () => client.destroy());
    let upstream: Socket | undefined;
    onMessages(client, (message) => {
      if (message.readInt32LE(12) !== OP_MSG) {
        upstream ??= tunnel(host, Number(port), client, sockets); // the driver's first greeting
        upstream.write(message);
        return;
      }
      const answer = (document: Document) => {
        const operationTime = new BSON.Timestamp({ t: 1, i: ++clock });
        client.write(messageOf({ ...document, operationTime }, message.readInt32LE(4)));
      };
      answerOf(commandOf(message), client).then(answer, () => client.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port");

  const set: SimulatedReplicaSet = {
    url: (database) => `mongodb://127.0.0.1:${address.port}/${database}`,
    hold: (...collections) => {
      holds = collections;
    },
    held: () => held.length,
    replicate: () => {
      for (const one of release()) one.release();
    },
    lag: async (database, collection, id) => {
      const document = await readOne(database, collection, id);
      if (document === undefined) throw new Error("There is no such document");
      return () => {
        lagging = { collection, document };
      };
    },
    failOver: async () => {
      for (const { database, collection, id, before, caller } of release().reverse()) {
        caller.destroy();
        const deletes = [{ q: { _id: id }, limit: 1 }];
        await primary.ask({ delete: collection, deletes, $db: database });
        if (before !== undefined) await primary.ask({ insert: collection, documents: [before], $db: database });
      }
    },
    onCommand: () => undefined,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return set;
}

/** A connection to the server; answers may come in any order. */
async function openPrimary(host: string, port: number, sockets: Set<Socket>) {
  const socket = connect(port, host);
  sockets.add(socket);
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  const waiting = new Map<number, (answer: Document) => void>();
  onMessages(socket, (message) => waiting.get(message.readInt32LE(8))?.(commandOf(message)));
  let last = 0;
  return {
    ask: (command: Document) =>
      new Promise<Document>((resolve) => {
        const id = ++last;
        waiting.set(id, (answer) => {
          waiting.delete(id);
          resolve(answer);
        });
        socket.write(messageOf(command, 0, id));
      }),
  };
}

function tunnel(host: string, port: number, client: Socket, sockets: Set<Socket>): Socket {
  const upstream = connect(port, host);
  sockets.add(upstream);
  upstream.on("data", (bytes) => client.write(bytes));
  upstream.on("error", () => client.destroy());
  upstream.on("close", () => sockets.delete(upstream));
  client.on("close", () => upstream.destroy());
  return upstream;
}

function onMessages(socket: Socket, take: (message: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on("data", (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      take(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  });
}

/** The document of an OP_MSG message; lists that came as sections of their own are put in their places. */
function commandOf(message: Buffer): Document {
  let body: Document = {};
  for (let at = 20; at < message.length; ) {
    const kind = message[at++];
    const length = message.readInt32LE(at);
    if (kind === 0) body = { ...BSON.deserialize(message.subarray(at, at + length), KEPT), ...body };
    else {
      const nameEnd = message.indexOf(0, at + 4);
      const documents: Document[] = [];
      for (let n = nameEnd + 1; n < at + length; n += message.readInt32LE(n))
        documents.push(BSON.deserialize(message.subarray(n, n + message.readInt32LE(n)), KEPT));
      body[message.toString("latin1", at + 4, nameEnd)] = documents;
    }
    at += length;
  }
  return body;
}

/** Values stay of the types they have on the wire. */
const KEPT = { promoteValues: false, promoteBuffers: false } as const;

function messageOf(document: Document, responseTo: number, requestId = 0): Buffer {
  const body = BSON.serialize(document, { ignoreUndefined: true });
  const head = Buffer.alloc(21);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(requestId, 4);
  head.writeInt32LE(responseTo, 8);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, body]);
}

/** Which documents a command writes. */
function idsOf(name: string, body: Document): string[] {
  const ids: unknown[] =
    name === "insert"
      ? body.documents.map(({ _id }: Document) => _id)
      : body[`${name}s`].map(({ q }: Document) => q._id);
  return ids.map(String);
}
