import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Pipelined requests that wait: of one connection, and of all. A connection that sends more is closed. */
const MOST_WAITING = { ofConnection: 2_000, ofAll: 20_000 };

type Exchange = readonly [IncomingMessage, ServerResponse & { req: IncomingMessage }];

/**
 * Answers the requests of a connection one after the other, and reads little further while some wait. Node would hand over
 * all that one read brings, some 500 pipelined requests: then one connection takes the places of 500 callers.
 */
export function oneAtATime(answer: RequestListener): RequestListener {
  const underWay = new WeakSet<Socket>();
  const waiting = new WeakMap<Socket, Exchange[]>();
  let waitingOfAll = 0;
  /** Connections whose last request is answered and whose next one waits. */
  const due: Socket[] = [];

  const begin = (request: Exchange[0], response: Exchange[1]) => {
    const { socket } = request;
    response.once("close", () => endOf(socket));
    answer(request, response);
  };

  const endOf = (socket: Socket) => {
    if (!waiting.has(socket)) underWay.delete(socket);
    else if (due.push(socket) === 1) setImmediate(nextDue);
  };

  // One in each turn of the event loop: requests that do not wait behind their own come between.
  const nextDue = () => {
    const socket = due.shift();
    if (socket !== undefined) next(socket);
    if (due.length > 0) setImmediate(nextDue);
  };

  const next = (socket: Socket) => {
    const [first] = waiting.get(socket)?.splice(0, 1) ?? [];
    if (first === undefined) return;
    waitingOfAll--;
    if (waiting.get(socket)?.length === 0) {
      waiting.delete(socket);
      socket.resume();
    }
    begin(...first);
  };

  const queueOf = (socket: Socket) => {
    const known = waiting.get(socket);
    if (known !== undefined) return known;
    const queue: Exchange[] = [];
    waiting.set(socket, queue);
    return queue;
  };

  const watch = (socket: Socket) => {
    // Node resumes the socket when a body is read.
    socket.on("resume", () => {
      if (waiting.has(socket)) socket.pause();
    });
    socket.once("close", () => {
      waitingOfAll -= waiting.get(socket)?.length ?? 0;
      waiting.delete(socket);
    });
  };
  const watched = new WeakSet<Socket>();

  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    if (!underWay.has(socket)) {
      underWay.add(socket);
      begin(request, response);
      return;
    }
    if (!watched.has(socket)) {
      watched.add(socket);
      watch(socket);
    }
    const queue = queueOf(socket);
    queue.push([request, response]);
    waitingOfAll++;
    if (queue.length > MOST_WAITING.ofConnection || waitingOfAll > MOST_WAITING.ofAll) socket.destroy();
    else socket.pause();
  };
}

/** The same for all requests of a server. */
export function answerOneAtATime(server: {
  listeners(event: "request"): unknown[];
  removeAllListeners(event: "request"): unknown;
  on(event: "request", listener: RequestListener): unknown;
}): void {
  const own = server.listeners("request");
  server.removeAllListeners("request");
  server.on(
    "request",
    oneAtATime((request, response) => {
      for (const listener of own)
        if (typeof listener === "function") Reflect.apply(listener, server, [request, response]);
    }),
  );
}
