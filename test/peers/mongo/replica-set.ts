/**
 * A small MongoDB for tests: three members of a replica set in one process, with sessions, snapshot transactions, write
 * conflicts, unique indexes, retryable writes, majority acknowledgement and change streams. All is in memory.
 *
 * It exists to be failed: a test decides when a secondary lags, the primary steps down, an answer is lost or the network
 * is cut. It knows the commands and operators that Aisle sends, and refuses others by name.
 */
import { createServer, type Server, type Socket } from "node:net";
import type { Document } from "mongodb";
import { Binary, Int32, ObjectId, Timestamp } from "mongodb";
import { Commands } from "./commands.js";
import { Replication } from "./replication.js";
import { CommandError, Storage } from "./storage.js";
import { answerTo, onRequests, type Request } from "./wire.js";

const SET = "rs0";
const MAX_WIRE_VERSION = 21; // MongoDB 7.0
/** How long the primary lets a driver's question about the topology wait for a change. */
const MAX_AWAIT_MS = 10_000;

/** What becomes of a command: run and answered; run, and its answer lost; lost before it runs. */
export type Fate = "answer" | "lose answer" | "lose command";

export interface Command {
  readonly name: string;
  readonly collection: string;
  readonly body: Document;
}

export interface TestReplicaSet {
  url(database: string): string;
  /** Called before each command but those of topology and sessions; decides what becomes of it. */
  onCommand: (command: Command) => Fate | Promise<Fate>;
  /** Sets the lag of both secondaries in ms; undefined stops replication. */
  lag(ms: number | undefined): void;
  /** The primary steps down. The secondary that has most becomes primary; what it lacks is rolled back. */
  failOver(): void;
  /** Sets the age at which an abandoned transaction no longer holds its documents; 60 s at first, as MongoDB has it. */
  limitTransactions(ms: number): void;
  /** Cuts all connections; new ones are accepted. */
  cut(): void;
  /** Commands that were run so far. */
  readonly count: () => number;
  close(): Promise<void>;
}

export async function openTestReplicaSet(): Promise<TestReplicaSet> {
  const storage = new Storage();
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const hellos = new Set<() => void>();
  let ran = 0;
  const members: { name: string; has: number; lagMs: number | undefined }[] = [];
  const replication = new Replication(storage, members);
  const commands = new Commands(storage, replication);
  let version = 1;

  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };

  const topologyChanged = () => {
    version++;
    for (const wake of hellos) wake();
  };

  const greeting = (member: number): Document => ({
    ismaster: replication.primary === member,
    isWritablePrimary: replication.primary === member,
    secondary: replication.primary !== member,
    helloOk: true,
    setName: SET,
    setVersion: new Int32(1),
    hosts: members.map(({ name }) => name),
    me: members[member]?.name,
    primary: members[replication.primary]?.name,
    electionId: ObjectId.createFromTime(replication.term),
    topologyVersion: { processId: PROCESS, counter: BigInt(version) },
    maxBsonObjectSize: new Int32(16 * 1024 * 1024),
    maxMessageSizeBytes: new Int32(48_000_000),
    maxWriteBatchSize: new Int32(100_000),
    localTime: new Date(),
    logicalSessionTimeoutMinutes: new Int32(30),
    minWireVersion: new Int32(0),
    maxWireVersion: new Int32(MAX_WIRE_VERSION),
    readOnly: false,
    ok: 1,
  });

  const greet = async (member: number, body: Document): Promise<Document> => {
    const known = body.topologyVersion?.counter;
    if (known !== undefined && Number(known) === version)
      await new Promise<void>((resolve) => {
        const wake = () => {
          hellos.delete(wake);
          clearTimeout(timer);
          resolve();
        };
        const timer = setTimeout(wake, Math.min(MAX_AWAIT_MS, Number(body.maxAwaitTimeMS ?? 0)));
        hellos.add(wake);
      });
    return greeting(member);
  };

  const fateOf = (name: string, body: Document) =>
    name === "endSessions" ? "answer" : set.onCommand({ name, collection: String(body[name]), body });

  const answer = async (member: number, { body }: Request): Promise<Document | undefined> => {
    const [name = ""] = Object.keys(body);
    if (/^(hello|ismaster)$/i.test(name)) return greet(member, body);
    try {
      if (replication.primary !== member)
        throw new CommandError(10107, "NotWritablePrimary", "not primary", [
          body.autocommit === false && name !== "commitTransaction"
            ? "TransientTransactionError"
            : "RetryableWriteError",
        ]);
      const { term } = replication;
      const fate = await fateOf(name, body);
      if (fate === "lose command") return undefined;
      const answer = await commands.run(body);
      ran++;
      if (term !== replication.term || fate === "lose answer") return undefined;
      return { ...answer, ok: 1, $clusterTime: clusterTime(storage.now) };
    } catch (error) {
      return { ...failure(error, body), ok: 0, $clusterTime: clusterTime(storage.now) };
    }
  };

  for (let member = 0; member < 3; member++) {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      socket.on("error", () => socket.destroy());
      onRequests(socket, (request) => {
        void answer(member, request).then((found) =>
          found === undefined ? socket.destroy() : void socket.write(answerTo(request, found)),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("The member has no port");
    servers.push(server);
    members.push({ name: `127.0.0.1:${address.port}`, has: 0, lagMs: 0 });
  }

  const set: TestReplicaSet = {
    url: (database) => `mongodb://${members.map(({ name }) => name).join(",")}/${database}?replicaSet=${SET}`,
    onCommand: () => "answer",
    lag: (ms) => {
      for (const [n, member] of members.entries()) if (n !== replication.primary) member.lagMs = ms;
      if (ms !== undefined) replication.catchUp();
    },
    failOver: () => {
      replication.failOver();
      commands.forgetSessions();
      cut();
      topologyChanged();
    },
    limitTransactions: (ms) => {
      storage.lifetimeMs = ms;
    },
    cut,
    count: () => ran,
    close: async () => {
      replication.close();
      for (const wake of hellos) wake();
      cut();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
  return set;
}

const PROCESS = new ObjectId();

function clusterTime(at: number): Document {
  const signature = { hash: new Binary(Buffer.alloc(20)), keyId: 0n };
  return { clusterTime: new Timestamp({ t: 1, i: at }), signature };
}

/** A fault of this server is told as an error that no caller retries. */
function failure(error: unknown, { autocommit }: Document): Document {
  if (!(error instanceof CommandError)) return { code: 8, codeName: "UnknownError", errmsg: String(error) };
  const { code, codeName, message, labels } = error;
  const errorLabels = labels.filter((label) => label !== "TransientTransactionError" || autocommit === false);
  return { code, codeName, errmsg: message, ...(errorLabels.length > 0 && { errorLabels }) };
}
