import { readdirSync, readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { type Owner, rpcClients, type ServerProcess, startServer, temporaryDirectory } from "../fixtures/server.js";
import type { Target } from "./attack.js";

/** A server in a process of its own with the app `shop`, and what can be seen of it from outside. */
export interface HostileServer extends ServerProcess {
  readonly target: Target;
  /** Open files and sockets of the process; 0 where the system does not tell. */
  openFiles(): number;
  /** Memory of the process, in MiB; 0 where the system does not tell. */
  residentMiB(): number;
}

export async function startHostileServer(owner: Owner): Promise<HostileServer> {
  // V8 lets garbage lie in an old generation that may grow. Within this one only what is in use can fill the memory.
  const env = { NODE_OPTIONS: "--max-old-space-size=256" };
  const server = await startServer({ directory: await temporaryDirectory(owner), owner, env });
  await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
  const target = { facadePort: portOf(server.facadeUrl), rpcPort: portOf(server.rpcUrl), appId: "shop" };
  const [pid] = server.pids();
  const seen = <T>(look: () => T, otherwise: T) => {
    try {
      return look();
    } catch {
      return otherwise;
    }
  };
  return {
    ...server,
    target,
    openFiles: () => seen(() => readdirSync(`/proc/${pid}/fd`).length, 0),
    residentMiB: () =>
      seen(() => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024, 0),
  };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Asks like an honest shop, one request after the other, until told to stop: gives the answers by their status. */
export function honestShop({ facadePort, appId }: Target): { stop(): Promise<Readonly<Record<string, number>>> } {
  const agent = new Agent({ keepAlive: true });
  const answers: Record<string, number> = {};
  const event = new URLSearchParams({
    app_id: appId,
    action_type: "product_view",
    product_ids: "1",
    c_id: "c1",
  }).toString();
  const asked = JSON.stringify({ appId, productInteractions: [], currentProductIds: "1" });
  const calls = [
    () => ask("POST", "/trace", "application/x-www-form-urlencoded", event),
    () => ask("GET", `/subscription_status?app_id=${appId}&fpcid=f1&force=true`),
    () => ask("POST", "/recommend", "application/json", asked),
  ];
  const ask = (method: string, path: string, type?: string, body?: string) =>
    new Promise<string>((resolve) => {
      const headers = type === undefined ? {} : { "content-type": type };
      const sent = request({ port: facadePort, host: "127.0.0.1", method, path, headers, agent }, (answer) => {
        answer.resume().once("end", () => resolve(`${path.split("?")[0]} ${answer.statusCode}`));
      });
      sent.once("error", (error) => resolve(`${path.split("?")[0]} ${error.name}`));
      sent.end(body);
    });
  let isOver = false;
  const loop = async () => {
    while (!isOver)
      for (const call of calls) {
        const answer = await call();
        answers[answer] = (answers[answer] ?? 0) + 1;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
  };
  const looping = loop();
  return {
    async stop() {
      isOver = true;
      await looping;
      agent.destroy();
      return answers;
    },
  };
}

/** What an honest shop sees when all is well. */
export const ALL_WELL = ["/recommend 200", "/subscription_status 200", "/trace 200"];
