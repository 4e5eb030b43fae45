import { createRouterTransport } from "@connectrpc/connect";
import { v7 } from "uuid";
import { hnswIndexes } from "../../src/adapters/hnsw/vector-indexes.js";
import { Unavailable } from "../../src/domain/errors.js";
import { createFacade, type FacadeOptions } from "../../src/facade/facade.js";
import { evaluateApp } from "../../src/learning/evaluation/evaluate-app.js";
import { trainModel } from "../../src/learning/training/train-model.js";
import { createAisle } from "../../src/server/app.js";
import type { RemoteStore } from "../../src/server/store-circuit-breaker.js";
import { toConnectError } from "../../src/services/errors/errors.js";
import { embeddedWireStore, type OpenWireStore } from "./store.js";
import { type Fault, type OpenWireTarget, WIRE_NOW } from "./target.js";

/** The whole application over an embedded store of its own. It trains in this thread. */
export const openAppTarget: OpenWireTarget = (options) => openTargetOver(embeddedWireStore, options);

/** The same over another store; `remoteStore` when it is some way off. */
export async function openTargetOver(
  openStore: OpenWireStore,
  { publicUrl }: Parameters<OpenWireTarget>[0],
  remoteStore?: RemoteStore,
): ReturnType<OpenWireTarget> {
  let clock = WIRE_NOW;
  let fault: Fault = "none";
  const now = () => clock;
  const vectorIndexes = hnswIndexes();
  const { store, dispose } = await openStore(now);
  const aisle = createAisle({
    store,
    now,
    monotonicNow: now,
    newId: () => v7(),
    newAppId: () => v7().replaceAll("-", "").slice(-13),
    newSecret: () => "5e".repeat(16),
    remoteStore,
    metrics: { count: () => {}, observe: () => {} },
    report: () => {},
    reportFailure: () => undefined,
    vectorIndexes,
    runTraining: (appId, onProgress) => trainModel({ ...store, appId, vectorIndexes, onProgress }),
    runEvaluation: (query, onProgress) => evaluateApp({ ...store, ...query, vectorIndexes, onProgress }),
  });
  const clients = failing(aisle.clients, () => fault);
  const facade = createFacade({
    clients,
    now,
    newRequestId: () => v7(),
    publicUrl,
    isStopping: () => fault === "stopping",
    ready: async () => {
      if (fault === "unavailable") throw toConnectError(new Unavailable("the store is down"));
      await store.ready();
    },
  });
  await facade.ready();
  return {
    async inject({ method, url, headers, body }) {
      const answer = await facade.inject({ method, url, headers: { ...headers }, ...(body && { payload: body }) });
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    },
    transport: createRouterTransport((router) => aisle.routes(router)),
    fault: (next) => {
      fault = next;
    },
    advance: (ms) => {
      clock += ms;
    },
    async close() {
      await facade.close();
      aisle.close();
      await dispose();
    },
  };
}

/** The facade's clients, each call of which fails while there is a fault. */
function failing(clients: FacadeOptions["clients"], fault: () => Fault): FacadeOptions["clients"] {
  const unless = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      if (fault() === "unavailable") throw toConnectError(new Unavailable("the store is down"));
      if (fault() === "internal") throw toConnectError(new TypeError("a secret detail"));
      return call(...args);
    };
  };
  return {
    events: { recordEvent: unless(clients.events.recordEvent) },
    subscriptions: {
      getStatus: unless(clients.subscriptions.getStatus),
      getLink: unless(clients.subscriptions.getLink),
      followLink: unless(clients.subscriptions.followLink),
    },
    recommendations: {
      recommend: unless(clients.recommendations.recommend),
      recommendPage: unless(clients.recommendations.recommendPage),
    },
    apps: { getApp: unless(clients.apps.getApp) },
  };
}
