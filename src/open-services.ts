import { readPeerFiles } from "./certificate.js";
import type { Config } from "./config.js";
import { openLocalServices } from "./local-services.js";
import { connectServices } from "./services/remote-clients.js";

/** Services in other processes when the configuration says where, else in this one. */
export async function openServices(
  config: Config,
  options: Omit<
    Parameters<typeof openLocalServices>[0],
    "store" | "answerMs" | "minFreeBytes" | "embedder" | "learnedOrder" | "linkLimits"
  >,
) {
  if (config.rpcUrl === null) {
    const { store, answerMs, minFreeBytes, embedder, learnedOrder } = config;
    const linkLimits = { perVisitor: config.linksPerVisitor, perNetwork: config.linksPerNetwork };
    const { aisle, ...local } = await openLocalServices({
      ...options,
      store,
      answerMs,
      minFreeBytes,
      embedder,
      learnedOrder,
      linkLimits,
    });
    return { ...local, clients: aisle.clients, aisle };
  }
  const tls = readPeerFiles(config.peer);
  const { close, ...remote } = connectServices(config.rpcUrl, { tracer: options.tracer, token: config.token, tls });
  return {
    ...remote,
    callMs: undefined,
    aisle: undefined,
    opening: undefined,
    stopTraining: async () => undefined,
    close: async () => close(),
  };
}
