import { Code, type ServiceImpl } from "@connectrpc/connect";
import { type Health, HealthCheckResponse_ServingStatus as ServingStatus } from "../../gen/grpc/health/v1/health_pb.js";
import { unlessAborted } from "../calls/unless-aborted.js";
import { refusal } from "../errors/error-info.js";

/**
 * The state that grpc.health.v1 reports. The app sets it: serving when it is ready, not serving as soon as it drains.
 */
export interface HealthState {
  /** Adds services. A new one has the overall status. */
  know(services: Iterable<string>): void;
  /** Sets one service, or without a name the server as a whole and every service. */
  set(serving: boolean, service?: string): void;
  /** Status of a service, `""` for the server as a whole; undefined for an unknown one. */
  status(service: string): ServingStatus | undefined;
  /** All statuses, the whole under `""`. */
  all(): ReadonlyMap<string, ServingStatus>;
  /** Calls `listener` after each change, until the function it returns is called. */
  onChange(listener: () => void): () => void;
}

/** A state that is NOT_SERVING until it is set. */
export function createHealthState(): HealthState {
  const statuses = new Map<string, ServingStatus>([["", ServingStatus.NOT_SERVING]]);
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of [...listeners]) listener();
  };
  return {
    know(services) {
      const overall = statuses.get("") ?? ServingStatus.NOT_SERVING;
      for (const service of services) if (!statuses.has(service)) statuses.set(service, overall);
      tell();
    },
    set(serving, service) {
      const status = serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
      for (const name of service === undefined ? [...statuses.keys()] : [service]) statuses.set(name, status);
      tell();
    },
    status: (service) => statuses.get(service),
    all: () => statuses,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * grpc.health.v1 over `state`. Watch answers at once, then after each change; when changes come faster than the stream
 * takes them, it sends the last one. `draining` ends its streams, which nothing else ends.
 */
export function createHealthService(deps: { state: HealthState; draining: AbortSignal }): ServiceImpl<typeof Health> {
  const { state, draining } = deps;
  return {
    check({ service }) {
      const status = state.status(service);
      if (status === undefined) throw refusal("There is no such service", Code.NotFound, "SERVICE_NOT_FOUND");
      return { status };
    },
    list: () => ({
      statuses: Object.fromEntries([...state.all()].map(([service, status]) => [service, { status }])),
    }),
    async *watch({ service }, context) {
      let wake = () => {};
      const stopListening = state.onChange(() => wake());
      context.signal.addEventListener("abort", () => wake(), { once: true });
      try {
        let told: ServingStatus | undefined;
        while (!context.signal.aborted) {
          // Registered before the status is read, so that no change is missed.
          const changed = new Promise<void>((resolve) => {
            wake = resolve;
          });
          const status = state.status(service) ?? ServingStatus.SERVICE_UNKNOWN;
          if (status === told) {
            await unlessAborted(draining, () => changed);
            continue;
          }
          told = status;
          yield { status };
        }
      } finally {
        stopListening();
      }
    },
  };
}
