/** A timeout as gRPC writes it: digits and a unit. The protocol has eight digits; clients of Connect write more. */
const TIMEOUT = /^\d{1,15}[HMSmun]$/;

const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 0.001, n: 0.000001 };

export function isGrpcTimeout(value: unknown): value is string {
  return typeof value === "string" && TIMEOUT.test(value);
}

export function grpcTimeoutMs(value: string): number {
  return Number(value.slice(0, -1)) * (UNIT_MS[value.slice(-1)] ?? Number.NaN);
}
