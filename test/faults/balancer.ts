import { connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { ServerProcess } from "../fixtures/server.js";

/** How often it is asked who is ready. */
const LOOK_MS = 50;
/** Who connects waits so many times for a server that is ready and takes the connection. */
const TRIES = 400;

/** A balancer of connections, as clouds and clusters have them: each new one goes to the next server that says it is ready. */
export interface Balancer {
  readonly facadeUrl: string;
  readonly rpcUrl: string;
  /** Whether it sends new connections to a server. */
  sendsTo(server: ServerProcess): boolean;
  close(): Promise<void>;
}

/** It reads `servers` at each look, since a server has a new address after a restart. */
export async function openBalancer(servers: readonly { readonly running: ServerProcess }[]): Promise<Balancer> {
  let ready: readonly ServerProcess[] = servers.map(({ running }) => running);
  let isOpen = true;
  let turn = 0;
  const sockets = new Set<Socket>();

  const look = async () => {
    while (isOpen) {
      const found = await Promise.all(servers.map(({ running }) => isReady(running)));
      ready = found.filter((one) => one !== undefined);
      await pause(LOOK_MS);
    }
  };

  const listen = async (addressOf: (server: ServerProcess) => string) => {
    const server = createServer((client) => {
      sockets.add(client);
      client.pause();
      client.on("error", () => client.destroy());
      client.on("close", () => sockets.delete(client));
      const next = (tries: number) => {
        const chosen = ready[turn++ % Math.max(1, ready.length)];
        if (tries === 0) return void client.resetAndDestroy();
        if (chosen === undefined) return void setTimeout(() => next(tries - 1), LOOK_MS); // until one is ready
        const upstream = connect(Number(new URL(addressOf(chosen)).port), "127.0.0.1");
        upstream.once("error", () => next(tries - 1)); // nobody listens there any more: it has taken nothing
        upstream.once("connect", () => {
          upstream.removeAllListeners("error");
          sockets.add(upstream);
          upstream.on("error", () => client.resetAndDestroy());
          upstream.on("close", () => {
            sockets.delete(upstream);
            client.end();
          });
          client.on("close", () => upstream.destroy());
          client.pipe(upstream);
          upstream.pipe(client);
        });
      };
      next(TRIES);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("The balancer has no port");
    return { server, url: `http://127.0.0.1:${address.port}` };
  };

  const [facade, rpc] = [await listen(({ facadeUrl }) => facadeUrl), await listen(({ rpcUrl }) => rpcUrl)];
  const looking = look();
  return {
    facadeUrl: facade.url,
    rpcUrl: rpc.url,
    sendsTo: (server) => ready.includes(server),
    close: async () => {
      isOpen = false;
      await looking;
      for (const socket of sockets) socket.destroy();
      await Promise.all([facade, rpc].map(({ server }) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

async function isReady(server: ServerProcess): Promise<ServerProcess | undefined> {
  const answer = await fetch(`${server.facadeUrl}/readyz`, { headers: { connection: "close" } }).catch(() => undefined);
  await answer?.arrayBuffer().catch(() => undefined);
  return answer?.status === 200 ? server : undefined;
}
