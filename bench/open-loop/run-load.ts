import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { Connection } from "./connection.js";
import type { LoadPlan, LoadReport } from "./plan.js";
import { Tally } from "./tally.js";

const FORM = "application/x-www-form-urlencoded";
const DEFAULT_TIMEOUT_MS = 10_000;
/** How often requests that have waited too long are looked for. */
const SWEEP_MS = 50;
/** A timer may be so late; requests that are due sooner are waited for without one. */
const TIMER_MS = 2;

/**
 * Sends what the plan says from this process, and resolves when all is answered or given up.
 *
 * In an open loop the n-th request is due n / rate seconds after the start. It leaves then, on a connection that is free
 * or on a new one; when there are as many connections as there may be it waits, and the time counts: a server that
 * stands still for a second makes all that was due then as late as it is.
 */
export async function runLoad(plan: LoadPlan): Promise<LoadReport> {
  const { rate, seconds, timeoutMs = DEFAULT_TIMEOUT_MS } = plan;
  const warmSeconds = rate === undefined ? 0 : (plan.warmSeconds ?? 0);
  const requests = requestsOf(plan);
  const { hostname: host, port } = new URL(plan.url);
  const ids = plan.idsFile === undefined ? undefined : createWriteStream(plan.idsFile);
  const connections = new Set<Connection>();
  const free: Connection[] = [];
  const startAt = performance.now();
  const tally = new Tally(startAt + warmSeconds * 1000, seconds);
  /** When the requests that wait for a connection were due; those before `first` have left. */
  let due: number[] = [];
  let first = 0;
  let sent = 0;
  let isOver = false;
  let done = () => {};

  const send = (connection: Connection, dueAt: number) => {
    if (rate !== undefined) tally.left(dueAt, performance.now());
    connection.send(requests[sent++ % requests.length]!, dueAt);
  };
  const open = () => {
    const connection = new Connection({ host, port: Number(port) }, { answered, ended });
    connections.add(connection);
    return connection;
  };
  /** What a connection does that has nothing to do. */
  const goOn = (connection: Connection) => {
    for (; first < due.length && due[first]! < performance.now() - timeoutMs; first++) tally.unsent++;
    if (first < due.length) send(connection, due[first++]!);
    else if (rate === undefined && !isOver) send(connection, performance.now());
    else free.push(connection);
    if (first > 10_000) {
      due = due.slice(first);
      first = 0;
    }
  };
  const answered = (connection: Connection, answer: Parameters<Tally["answered"]>[0]) => {
    tally.answered(answer, connection.dueAt ?? startAt, performance.now());
    connection.dueAt = undefined;
    if (answer.status === 200) ids?.write(`${answer.eventId}\n`);
    if (answer.closes) connection.destroy();
    else goOn(connection);
    endIfOver();
  };
  const ended = (connection: Connection) => {
    connections.delete(connection);
    const at = free.indexOf(connection);
    if (at !== -1) free.splice(at, 1);
    if (connection.dueAt !== undefined) tally.lost++;
    if (!isOver && rate === undefined) goOn(open());
    else if (first < due.length) goOn(open());
    endIfOver();
  };
  const request = (dueAt: number) => {
    const connection = free.pop() ?? (connections.size < plan.connections ? open() : undefined);
    if (connection === undefined) due.push(dueAt);
    else send(connection, dueAt);
  };
  const endIfOver = () => {
    if (isOver && first === due.length && free.length === connections.size) done();
  };
  const giveUp = () => {
    const now = performance.now();
    for (const connection of connections) {
      if (connection.dueAt === undefined || connection.sentAt > now - timeoutMs) continue;
      connection.dueAt = undefined;
      tally.timeouts++;
      connection.destroy();
    }
    for (; first < due.length && due[first]! <= now - timeoutMs; first++) tally.unsent++;
    endIfOver();
  };

  const over = new Promise<void>((resolve) => {
    done = resolve;
  });
  const sweep = setInterval(giveUp, SWEEP_MS);
  if (rate === undefined) {
    for (let n = 0; n < plan.connections; n++) goOn(open());
    setTimeout(() => {
      isOver = true;
      endIfOver();
    }, seconds * 1000);
  } else {
    const total = Math.floor(rate * (warmSeconds + seconds));
    let next = 0;
    const dueAt = (n: number) => startAt + (n / rate) * 1000;
    const tick = () => {
      const now = performance.now();
      while (next < total && dueAt(next) <= now) request(dueAt(next++));
      if (next === total) {
        isOver = true;
        endIfOver();
      } else if (dueAt(next) - now > TIMER_MS) setTimeout(tick, dueAt(next) - now - TIMER_MS);
      else setImmediate(tick);
    };
    tick();
  }
  await over;
  clearInterval(sweep);
  for (const connection of connections) connection.destroy();
  if (ids !== undefined) {
    ids.end();
    await finished(ids);
  }
  return tally.report();
}

/** The bytes of each request, with its headers. */
function requestsOf({ url, bodies, queries, contentType = FORM }: LoadPlan): Buffer[] {
  const { host, pathname, search } = new URL(url);
  if (queries !== undefined && queries.length > 0)
    return queries.map((query) => Buffer.from(`GET ${pathname}?${query} HTTP/1.1\r\nHost: ${host}\r\n\r\n`));
  if (bodies.length === 0) throw new Error("a load needs a body");
  return bodies.map((body) =>
    Buffer.from(
      `POST ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${contentType}\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ),
  );
}
