import { connectServices } from "../services/calls/remote-clients.js";
import { guarded } from "../services/errors/errors.js";
import { admissionToServices } from "./admission.js";
import { readPeerFiles } from "./certificates.js";
import { openLocalServices } from "./local-services.js";
import type { Config } from "./settings/config.js";

/** Services in other processes when the configuration names them, otherwise in this one. */
export async function openServices(
  config: Config,
  options: Omit<
    Parameters<typeof openLocalServices>[0],
    | "store"
    | "answerMs"
    | "minFreeBytes"
    | "memoryBytes"
    | "secretKeys"
    | "embedder"
    | "learnedOrder"
    | "learnProducts"
    | "linkLimits"
  >,
) {
  if (config.rpcUrl === null) {
    const { store, answerMs, minFreeBytes, memoryBytes, secretKeys, embedder, learnedOrder, learnProducts } = config;
    const linkLimits = {
      perVisitor: config.linksPerVisitor,
      perNetwork: config.linksPerNetwork,
      perApp: config.linksPerApp,
    };
    const { aisle, ...local } = await openLocalServices({
      ...options,
      store,
      answerMs,
      minFreeBytes,
      memoryBytes,
      secretKeys,
      embedder,
      learnedOrder,
      learnProducts,
      linkLimits,
    });
    return { ...local, clients: aisle.clients, isFull: aisle.isFull, aisle };
  }
  const tls = readPeerFiles(config.peer);
  const { close, clients, ready } = connectServices(config.rpcUrl, {
    tracer: options.tracer,
    token: config.token,
    tls,
  });
  const admission = admissionToServices({ ...options, monotonicNow: () => performance.now() });
  const recordEvent: typeof clients.events.recordEvent = (...call) =>
    guarded(
      () => undefined,
      () => admission.run(() => clients.events.recordEvent(...call)),
    )();
  return {
    clients: { ...clients, events: { ...clients.events, recordEvent } },
    ready,
    isFull: admission.isFull,
    callMs: undefined,
    aisle: undefined,
    opening: undefined,
    storeId: () => undefined,
    stopTraining: async () => undefined,
    close: async () => close(),
  };
}
