import type { Transport } from "@connectrpc/connect";

/** A REST request. `body` is what goes over the wire. */
export interface WireRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "DELETE" | "OPTIONS" | "PATCH" | "QUERY";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly body: string;
}

/**
 * What goes wrong behind the facade: `unavailable` is a store that is down, `internal` a call that fails without a known
 * reason, `stopping` a process that has been told to end.
 */
export const FAULTS = ["none", "unavailable", "internal", "stopping"] as const;
export type Fault = (typeof FAULTS)[number];

/** The application the pairs of this folder run against. Each pair gets a new and empty one. */
export interface WireTarget {
  /** Sends a REST request to the facade. */
  inject(request: WireRequest): Promise<WireResponse>;
  /** RPC calls to the same application. */
  readonly transport: Transport;
  /** From now on this goes wrong; `none` ends it. */
  fault(fault: Fault): void;
  /** Moves all clocks of the application. They stand still otherwise. */
  advance(ms: number): void;
  close(): Promise<void>;
}

/** When the clocks of a new target stand. Its first version text is `2026030110`. */
export const WIRE_NOW = Date.UTC(2026, 2, 1, 10, 0, 0);

export interface WireTargetOptions {
  readonly publicUrl: string | undefined;
}

export type OpenWireTarget = (options: WireTargetOptions) => Promise<WireTarget>;
