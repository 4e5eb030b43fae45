/** The tasks of a server process, and its ports. */

import { demoCurlLines } from "./demo/curl-lines.js";
import { closedPort, FACADE, RPC, urlOf } from "./listen.js";
import type { Config, Role } from "./settings/config.js";

/** The tasks of one process. */
export interface RoleTasks {
  readonly facade: boolean;
  /** Services on the RPC port; `health` is health, reflection and metrics alone. */
  readonly rpc: "services" | "health" | "closed";
  /** Trains by schedule, and sets up the demo shop if configured. */
  readonly training: boolean;
}

const ROLE_TASKS: Readonly<Record<Role, RoleTasks>> = {
  all: { facade: true, rpc: "services", training: true },
  facade: { facade: true, rpc: "closed", training: false },
  services: { facade: false, rpc: "services", training: false },
  trainer: { facade: false, rpc: "health", training: true },
};

/** An embedded store belongs to one process, so the services on it also train. */
export function tasksOf({ role, store }: Pick<Config, "role" | "store">): RoleTasks {
  const tasks = ROLE_TASKS[role];
  return role === "services" && store.kind === "embedded" ? { ...tasks, training: true } : tasks;
}

/** Ports found free, and the public address, shared by all processes. */
export interface Ports {
  readonly facadePort: number;
  readonly facadeUrl: string;
  readonly rpcPort: number;
}

/**
 * Finds the ports before the demo is set up: a port in use fails at once, and the demo's product URLs contain the port.
 */
export async function findPorts(config: Config, duties: RoleTasks): Promise<Ports> {
  const facadePort = duties.facade ? await closedPort(config.facade, FACADE) : 0;
  const rpcPort = duties.rpc === "closed" ? 0 : await closedPort(config.rpc, RPC);
  const scheme = config.tls === null ? "http" : "https";
  return { facadePort, rpcPort, facadeUrl: config.publicUrl ?? urlOf(config.facade.host, facadePort, scheme) };
}

/** Address of the console in this process; undefined without one. */
export function consoleUrlOf(config: Config, duties: RoleTasks, ports: Pick<Ports, "rpcPort">): string | undefined {
  const isShown = duties.rpc === "services" && config.console !== "off";
  return isShown ? `${rpcUrlOf(config, ports)}/console/` : undefined;
}

function rpcUrlOf(config: Config, ports: Pick<Ports, "rpcPort">): string {
  return urlOf(config.rpc.host, ports.rpcPort, config.rpcTls === null ? "http" : "https");
}

/** The first line of a ready server, and those about the demo. */
export function readyLines(config: Config, duties: RoleTasks, ports: Ports, demo: boolean): string[] {
  const rpcUrl = rpcUrlOf(config, ports);
  const consoleUrl = consoleUrlOf(config, duties, ports);
  const doors = [
    duties.facade && `storefronts at ${ports.facadeUrl}`,
    duties.rpc === "services" && `RPC at ${rpcUrl}`,
    consoleUrl !== undefined && `console at ${consoleUrl}`,
    duties.rpc === "health" && `training, health at ${rpcUrl}`,
  ];
  const ready = `aisle is ready: ${doors.filter((door) => door !== false).join(", ")}`;
  if (!demo) return [ready];
  return [
    ready,
    `Open ${ports.facadeUrl}/demo/ for the demo shop, or try:`,
    ...demoCurlLines(ports.facadeUrl, Date.now()),
  ];
}
