import { create, isMessage } from "@bufbuild/protobuf";
import { Code, ConnectError, createContextKey, createContextValues, type HandlerContext } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { AppSchema } from "../../../src/gen/aisle/v1/app_pb.js";
import { AppService, GetAppRequestSchema, GetAppResponseSchema } from "../../../src/gen/aisle/v1/app_service_pb.js";
import { EventService } from "../../../src/gen/aisle/v1/event_service_pb.js";
import { SubscriptionService } from "../../../src/gen/aisle/v1/subscription_service_pb.js";
import { ServerReflection } from "../../../src/gen/grpc/reflection/v1/reflection_pb.js";
import { directClient } from "../../../src/services/calls/direct-clients.js";
import { createGate } from "../wire/rpc-fixture.js";

const never = new Promise<never>(() => {});

describe("a direct unary call", () => {
  it("turns initialisers into messages on the way in and out", async () => {
    const client = directClient(AppService, {
      getApp(request) {
        expect(isMessage(request, GetAppRequestSchema)).toBe(true);
        return { app: { appId: request.appId } };
      },
    });
    const answer = await client.getApp({ appId: "shop" });
    expect(isMessage(answer, GetAppResponseSchema)).toBe(true);
    expect(isMessage(answer.app, AppSchema)).toBe(true);
    expect(answer.app?.allowedOrigins).toEqual([]);
  });

  it("passes messages on unchanged", async () => {
    const answer = create(GetAppResponseSchema, {});
    const request = create(GetAppRequestSchema, {});
    let received: unknown;
    const client = directClient(AppService, {
      getApp(given) {
        received = given;
        return answer;
      },
    });
    expect(await client.getApp(request)).toBe(answer);
    expect(received).toBe(request);
  });

  it("passes a ConnectError on, thrown at once or later", async () => {
    const error = new ConnectError("There is no such app", Code.NotFound);
    const client = directClient(AppService, {
      getApp() {
        throw error;
      },
      async listApps() {
        throw error;
      },
    });
    await expect(client.getApp({})).rejects.toBe(error);
    await expect(client.listApps({})).rejects.toBe(error);
  });

  it("hides any other error as INTERNAL and keeps it as the cause", async () => {
    const fault = new TypeError("secret");
    const client = directClient(AppService, {
      getApp() {
        throw fault;
      },
    });
    const error = ConnectError.from(await client.getApp({}).catch((reason: unknown) => reason));
    expect([error.code, error.rawMessage, error.cause]).toEqual([Code.Internal, "internal error", fault]);
  });

  it("is UNIMPLEMENTED when the implementation lacks the method", async () => {
    await expect(directClient(AppService, {}).getApp({})).rejects.toMatchObject({ code: Code.Unimplemented });
  });

  it("binds the implementation's this", async () => {
    class Apps {
      readonly name = "shop";
      getApp() {
        return { app: { displayName: this.name } };
      }
    }
    expect((await directClient(AppService, new Apps()).getApp({})).app?.displayName).toBe("shop");
  });

  it("passes request headers and values to the handler, and response headers to the caller", async () => {
    const key = createContextKey("none");
    const client = directClient(AppService, {
      getApp(_, context) {
        context.responseHeader.set("x-head", context.requestHeader.get("x-sent") ?? "");
        context.responseTrailer.set("x-tail", context.values.get(key));
        return { app: { displayName: `${context.service.typeName} ${context.method.name} ${context.protocolName}` } };
      },
    });
    const shown: (string | null)[] = [];
    const answer = await client.getApp(
      {},
      {
        headers: { "x-sent": "head" },
        contextValues: createContextValues().set(key, "tail"),
        onHeader: (headers) => void shown.push(headers.get("x-head")),
        onTrailer: (headers) => void shown.push(headers.get("x-tail")),
      },
    );
    expect(answer.app?.displayName).toBe("aisle.v1.AppService GetApp direct");
    expect(shown).toEqual(["head", "tail"]);
  });

  it("ends with DEADLINE_EXCEEDED at its deadline, and aborts the handler", async () => {
    let context: HandlerContext | undefined;
    const client = directClient(AppService, {
      getApp(_, given) {
        context = given;
        return never;
      },
    });
    await expect(client.getApp({}, { timeoutMs: 5 })).rejects.toMatchObject({ code: Code.DeadlineExceeded });
    expect(context?.signal.aborted).toBe(true);
    // A timer may fire within the millisecond before.
    expect(context?.timeoutMs()).toBeLessThanOrEqual(1);
  });

  it("ends with CANCELED when its caller aborts, before or while it runs", async () => {
    const running = createGate();
    let calls = 0;
    const client = directClient(AppService, {
      getApp() {
        calls++;
        running.open();
        return never;
      },
    });
    await expect(client.getApp({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: Code.Canceled });
    expect(calls).toBe(0);
    const controller = new AbortController();
    const call = expect(client.getApp({}, { signal: controller.signal })).rejects.toMatchObject({
      code: Code.Canceled,
    });
    await running.opened;
    controller.abort();
    await call;
  });

  it("aborts the handler's signal when it is over", async () => {
    const signals: AbortSignal[] = [];
    const client = directClient(AppService, {
      getApp(_, { signal }) {
        signals.push(signal);
        return {};
      },
    });
    await client.getApp({});
    await client.getApp({}, { timeoutMs: 60_000 });
    expect(signals.map((signal) => signal.aborted)).toEqual([true, true]);
  });
});

describe("a direct streaming call", () => {
  it("passes messages to the handler", async () => {
    const client = directClient(EventService, {
      async recordEvents(batches) {
        let accepted = 0;
        for await (const { events } of batches) accepted += events.length;
        return { accepted };
      },
    });
    const batches = async function* () {
      yield {};
      yield { events: [{}, {}] };
    };
    expect((await client.recordEvents(batches())).accepted).toBe(2);
  });

  it("passes an error of the caller's source on as INTERNAL", async () => {
    const client = directClient(EventService, {
      async recordEvents(batches) {
        for await (const _ of batches);
        return {};
      },
    });
    const batches = async function* () {
      yield {};
      throw new Error("the file cannot be read");
    };
    await expect(client.recordEvents(batches())).rejects.toMatchObject({ code: Code.Internal });
  });

  it("passes messages to the caller, and an error ends it", async () => {
    const client = directClient(SubscriptionService, {
      async *verifyLedger() {
        yield { headHash: "read" };
        throw new ConnectError("running already", Code.Aborted);
      },
    });
    const stages: string[] = [];
    const reading = (async () => {
      for await (const message of client.verifyLedger({})) stages.push(`${message.headHash} ${message.entries}`);
    })();
    await expect(reading).rejects.toMatchObject({ code: Code.Aborted });
    expect(stages).toEqual(["read 0"]);
  });

  it("lets the handler clean up and aborts its signal when the caller leaves", async () => {
    let cleaned = false;
    let signal: AbortSignal | undefined;
    const client = directClient(SubscriptionService, {
      async *verifyLedger(_, context) {
        signal = context.signal;
        try {
          for (;;) yield { headHash: "again" };
        } finally {
          cleaned = true;
        }
      },
    });
    for await (const _ of client.verifyLedger({})) break;
    expect([cleaned, signal?.aborted]).toEqual([true, true]);
  });

  it("ends with CANCELED when the caller aborts while the handler waits", async () => {
    const client = directClient(SubscriptionService, {
      async *verifyLedger() {
        yield { headHash: "read" };
        await never;
      },
    });
    const controller = new AbortController();
    const answers = client.verifyLedger({}, { signal: controller.signal })[Symbol.asyncIterator]();
    await answers.next();
    const waiting = expect(answers.next()).rejects.toMatchObject({ code: Code.Canceled });
    controller.abort();
    await waiting;
  });

  it("answers each request of a bidirectional stream", async () => {
    const client = directClient(ServerReflection, {
      async *serverReflectionInfo(requests) {
        for await (const { host } of requests) yield { validHost: host };
      },
    });
    const requests = async function* () {
      yield { host: "a" };
      yield { host: "b" };
    };
    const hosts: string[] = [];
    for await (const { validHost } of client.serverReflectionInfo(requests())) hosts.push(validHost);
    expect(hosts).toEqual(["a", "b"]);
  });
});
