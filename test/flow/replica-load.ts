import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { trained } from "../fixtures/operations.js";
import { rpcClients } from "../fixtures/server.js";

/** A server that may be gone at any time. */
export interface Replica {
  readonly facadeUrl: string;
  readonly rpcUrl: string;
}

/** A key that a sender used, and what it was told. */
export interface Acknowledged {
  readonly appId: string;
  readonly key: string;
  readonly eventId: string;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Milliseconds between two calls of a caller, and before a call is tried again. */
const PAUSE_MS = 100;
const RETRY_MS = 50;
/** Longer than any answer takes; a server that was killed leaves connections that tell nothing. */
const CALL_MS = 5_000;

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** What a caller over RPC is told of a server that is gone, or of a store that is busy. */
const PASSING: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded]);
/** What the client itself says of a connection that broke, under several codes. */
const BROKEN = /ECONNRESET|EPIPE|socket hang up|http\/2 stream closed/;

/**
 * Callers of several replicas, such as storefronts, shop servers and internal callers are: each call goes to one of them, a call that
 * was refused or broke is tried again at the next, events under the same key. What is no documented answer is kept in
 * `invalid`.
 */
export class ReplicaLoad {
  readonly acknowledged: Acknowledged[] = [];
  readonly invalid: string[] = [];
  /** Answers by what they were of and their status; 0 for none. */
  readonly counts = new Map<string, number>();
  /** Milliseconds until each 200 of /trace. */
  readonly traceMs: number[] = [];
  private isStopping = false;
  private turn = 0;
  private readonly clients: readonly ReturnType<typeof rpcClients>[];

  constructor(
    private readonly replicas: readonly Replica[],
    private readonly appIds: readonly string[],
  ) {
    this.clients = replicas.map(({ rpcUrl }) => rpcClients(rpcUrl));
  }

  /** Calls until it is told to stop; resolves when the last call of each caller is answered. */
  async run(): Promise<void> {
    const callers = [
      ...Array.from({ length: 4 }, (_, n) => () => this.post(n, "browser")),
      ...Array.from({ length: 2 }, (_, n) => () => this.post(n, "server")),
      () => this.recordByRpc(),
      () => this.recommend(),
      () => this.status(),
      () => this.readBack(),
      () => this.train(),
    ];
    await Promise.all(
      callers.map(async (call) => {
        while (!this.isStopping) {
          await call();
          await pause(PAUSE_MS);
        }
      }),
    );
  }

  stop(): void {
    this.isStopping = true;
  }

  /** In one line what was answered, and how soon events were taken. */
  summary(): string {
    const counts = [...this.counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, count]) => `${what}: ${count}`);
    const sorted = [...this.traceMs].sort((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
    return `${counts.join(", ")}; /trace p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
  }

  /** Sends one event until it is taken, now and then once more after that. */
  private async post(n: number, sender: "browser" | "server"): Promise<void> {
    const turn = this.turn++;
    const appId = this.appOf(turn);
    const key = randomUUID();
    const form = new URLSearchParams({
      app_id: appId,
      idempotency_key: key,
      page_key: key,
      fp_ccid: `f${turn % 40}`,
      ...(sender === "server"
        ? {
            sender_type: "server",
            action_type: "order",
            order_id: key,
            product_ids: "p0|p1",
            email: `${n}@shop.example`,
          }
        : { action_type: "product_view", product_ids: `p${turn % 6}`, c_id: `c${turn % 40}` }),
    }).toString();
    const ids: string[] = [];
    for (const wanted of turn % 10 === 0 ? [1, 2] : [1]) {
      for (let at = turn; ids.length < wanted; at++) {
        const from = performance.now();
        const answer = await this.call("/trace", at, form);
        const id = traceIdOf(answer);
        if (id !== undefined) {
          ids.push(id);
          this.traceMs.push(performance.now() - from);
          continue;
        }
        const isPassing = answer.status === 0 || (answer.status === 503 && "retry-after" in answer.headers);
        if (!isPassing) return this.report("/trace", answer);
        await pause(RETRY_MS);
      }
    }
    if (new Set(ids).size > 1) this.invalid.push("/trace gave one key two event ids");
    this.acknowledged.push({ appId, key, eventId: ids[0] ?? "" });
  }

  private async recordByRpc(): Promise<void> {
    const turn = this.turn++;
    const appId = this.appOf(turn);
    const key = randomUUID();
    const event = {
      actionType: "add_to_cart",
      visitor: { clientId: `c${turn % 40}` },
      products: [{ productId: `p${turn % 6}` }],
      extraFields: { page_key: key },
    };
    for (let at = turn; ; at++) {
      const answer = await this.rpc("RecordEvent", at, ({ events }, options) =>
        events.recordEvent({ appId, idempotencyKey: key, event }, options),
      );
      if (answer === undefined) {
        await pause(RETRY_MS);
        continue;
      }
      this.acknowledged.push({ appId, key, eventId: answer.eventId });
      return;
    }
  }

  /** What one replica has acknowledged, another one knows. */
  private async readBack(): Promise<void> {
    const last = this.acknowledged.at(-1);
    if (last === undefined) return;
    const { appId, eventId } = last;
    await this.rpc("GetEvent", this.turn++, ({ events }, options) => events.getEvent({ appId, eventId }, options));
  }

  /** Asks for a training, which the trainer may be doing at the time. */
  private async train(): Promise<void> {
    const turn = this.turn++;
    await this.rpc("TrainModel", turn, async (clients) => {
      try {
        await trained(clients, this.appOf(turn));
      } catch (error) {
        if (ConnectError.from(error).code !== Code.Aborted) throw error;
      }
    });
    await pause(10 * PAUSE_MS);
  }

  private async recommend(): Promise<void> {
    const turn = this.turn++;
    const body = { appId: this.appOf(turn), productInteractions: [], currentProductIds: "p0", fpccid: `f${turn % 40}` };
    const answer = await this.call("/recommend", turn, JSON.stringify(body), "application/json");
    if (answer.status === 0) return;
    const found = objectOf(answer.body);
    if (answer.status === 500 && found.error === "Service temporarily unavailable") return;
    const isWhole = /^\d{10,}$/.test(String(found.version)) && Array.isArray(found.recommended);
    if (answer.status !== 200 || !isWhole || !Array.isArray(found.alternative) || "error" in found)
      this.report("/recommend", answer);
  }

  private async status(): Promise<void> {
    const turn = this.turn++;
    const query = new URLSearchParams({ app_id: this.appOf(turn), fpcid: `f${turn % 40}` });
    const answer = await this.call(`/subscription_status?${query}`, turn);
    if (answer.status === 0) return;
    const { identified, status, message } = objectOf(answer.body);
    const isFailure = answer.status === 500 && identified === false && status === null && message !== "Success";
    const isPair = identified === true || (identified === false && status === null);
    if (!isFailure && !(answer.status === 200 && message === "Success" && isPair))
      this.report("/subscription_status", answer);
  }

  private appOf(turn: number): string {
    return this.appIds[turn % this.appIds.length] ?? "";
  }

  private report(what: string, { status, body }: Answer): void {
    this.invalid.push(`${what} answered ${status} ${body}`);
  }

  private count(what: string, status: number | string): void {
    const name = `${what} ${status}`;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  /** Status 0 when there was no answer. */
  private async call(
    path: string,
    at: number,
    body?: string,
    type = "application/x-www-form-urlencoded",
  ): Promise<Answer> {
    const { facadeUrl } = this.replicas[at % this.replicas.length]!;
    const what = path.split("?")[0] ?? "";
    const answer = await new Promise<Answer>((resolve) => {
      const none = () => resolve({ status: 0, headers: {}, body: "" });
      const method = body === undefined ? "GET" : "POST";
      const headers = body === undefined ? {} : { "content-type": type };
      const sent = request(`${facadeUrl}${path}`, { method, headers, agent: false, timeout: CALL_MS }, (got) => {
        let text = "";
        got.on("data", (chunk: Buffer) => {
          text += chunk.toString();
        });
        got.once("error", none);
        got.once("end", () => resolve({ status: got.statusCode ?? 0, headers: got.headers, body: text }));
      });
      sent.once("timeout", () => sent.destroy(new Error("no answer")));
      sent.once("error", none);
      sent.end(body);
    });
    this.count(what, answer.status);
    return answer;
  }

  /** Undefined when the call may be made again. */
  private async rpc<T>(
    what: string,
    at: number,
    ask: (clients: ReturnType<typeof rpcClients>, options: { readonly timeoutMs: number }) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      const answer = await ask(this.clients[at % this.clients.length]!, { timeoutMs: CALL_MS });
      this.count(what, "ok");
      return answer;
    } catch (error) {
      const { code, rawMessage } = ConnectError.from(error);
      this.count(what, Code[code]);
      if (!PASSING.has(code) && !BROKEN.test(rawMessage))
        this.invalid.push(`${what} failed with ${Code[code]}: ${rawMessage}`);
      return undefined;
    }
  }
}

/** The event id of a 200 as it is documented. */
function traceIdOf({ status, headers, body }: Answer): string | undefined {
  const id = String(headers["x-service-event-id"]);
  return status === 200 && UUID_V7.test(id) && objectOf(body).event_id === id ? id : undefined;
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
