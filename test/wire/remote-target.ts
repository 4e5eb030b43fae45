import type { Interceptor } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { v7 } from "uuid";
import { hnswIndexes } from "../../src/adapters/hnsw/vector-indexes.js";
import { Unavailable } from "../../src/domain/errors.js";
import { createFacade } from "../../src/facade/facade.js";
import { evaluateApp } from "../../src/learning/evaluation/evaluate-app.js";
import { trainModel } from "../../src/learning/training/train-model.js";
import { createAisle } from "../../src/server/app.js";
import { connectServices } from "../../src/services/calls/remote-clients.js";
import { toConnectError } from "../../src/services/errors/errors.js";
import { createHealthState } from "../../src/services/standard/health.js";
import { createRpcListener } from "../../src/services/wire/rpc-listener.js";
import { embeddedWireStore } from "./store.js";
import { type Fault, type OpenWireTarget, WIRE_NOW } from "./target.js";

/** The facade alone, and the services behind a port of the loopback address: what is between goes over a socket. */
export const openRemoteTarget: OpenWireTarget = async ({ publicUrl }) => {
  let clock = WIRE_NOW;
  let fault: Fault = "none";
  const now = () => clock;
  const vectorIndexes = hnswIndexes();
  const { store, dispose } = await embeddedWireStore(now);
  const aisle = createAisle({
    store,
    now,
    monotonicNow: now,
    newId: () => v7(),
    newAppId: () => v7().replaceAll("-", "").slice(-13),
    newSecret: () => "5e".repeat(16),
    metrics: { count: () => {}, observe: () => {} },
    report: () => {},
    reportFailure: () => undefined,
    vectorIndexes,
    runTraining: (appId, onProgress) => trainModel({ ...store, appId, vectorIndexes, onProgress }),
    runEvaluation: (query, onProgress) => evaluateApp({ ...store, ...query, vectorIndexes, onProgress }),
  });
  const failing: Interceptor = (next) => async (request) => {
    if (fault === "unavailable") throw toConnectError(new Unavailable("the store is down"));
    if (fault === "internal") throw toConnectError(new TypeError("a secret detail"));
    return next(request);
  };
  const health = createHealthState();
  const rpc = createRpcListener({ routes: aisle.routes, host: "127.0.0.1", port: 0, health, interceptors: [failing] });
  const { port } = await rpc.listen();
  health.set(true);
  const rpcUrl = `http://127.0.0.1:${port}`;
  // Deadlines have a test of their own (test/flow/roles.test.ts); here a machine may be as slow as it is.
  const services = connectServices(rpcUrl, { callMs: 30_000 });
  const facade = createFacade({
    clients: services.clients,
    now,
    newRequestId: () => v7(),
    publicUrl,
    isStopping: () => fault === "stopping",
    ready: services.ready,
  });
  await facade.ready();
  const sessionManager = new Http2SessionManager(rpcUrl);
  return {
    async inject({ method, url, headers, body }) {
      const answer = await facade.inject({ method, url, headers: { ...headers }, ...(body && { payload: body }) });
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    },
    transport: createGrpcTransport({ baseUrl: rpcUrl, sessionManager }),
    fault: (next) => {
      fault = next;
      health.set(next !== "unavailable");
    },
    advance: (ms) => {
      clock += ms;
    },
    async close() {
      await facade.close();
      services.close();
      sessionManager.abort();
      await rpc.close(1_000);
      aisle.close();
      await dispose();
    },
  };
};
