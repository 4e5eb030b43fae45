/** The process that `bench/rpc.ts` starts to call GetStatus: it is told how, does it for its time and says what it saw. */
import { createHistogram } from "node:perf_hooks";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { Client, credentials } from "@grpc/grpc-js";
import {
  GetStatusRequestSchema,
  type GetStatusResponse,
  GetStatusResponseSchema,
  SubscriptionService,
} from "../../src/gen/aisle/v1/subscription_service_pb.js";

export type Protocol = "gRPC" | "gRPC-Web" | "Connect" | "Connect, JSON";

export interface CallPlan {
  readonly protocol: Protocol;
  /** `127.0.0.1:9090` */
  readonly address: string;
  /** Calls under way at a time. */
  readonly callers: number;
  readonly seconds: number;
}

export interface CallReport {
  readonly calls: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

type Call = (visitor: string) => Promise<GetStatusResponse>;

/** What is called over gRPC is called by the stock client of Node; the rest over HTTP/1.1, as browsers and curl do. */
function callOf({ protocol, address }: CallPlan): Call {
  if (protocol !== "gRPC") return callBy(transportOf(protocol, `http://${address}`));
  const client = new Client(address, credentials.createInsecure());
  return (visitor) =>
    new Promise((resolve, reject) =>
      client.makeUnaryRequest(
        "/aisle.v1.SubscriptionService/GetStatus",
        (message: ReturnType<typeof requestOf>) => Buffer.from(toBinary(GetStatusRequestSchema, message)),
        (bytes: Buffer) => fromBinary(GetStatusResponseSchema, bytes),
        requestOf(visitor),
        (error, answer) => (answer === undefined ? reject(error) : resolve(answer)),
      ),
    );
}

function transportOf(protocol: Exclude<Protocol, "gRPC">, baseUrl: string): Transport {
  const options = { baseUrl, httpVersion: "1.1" } as const;
  if (protocol === "gRPC-Web") return createGrpcWebTransport(options);
  return createConnectTransport({ ...options, useBinaryFormat: protocol === "Connect" });
}

function callBy(transport: Transport): Call {
  const client = createClient(SubscriptionService, transport);
  return (visitor) => client.getStatus(requestOf(visitor));
}

function requestOf(fingerprintId: string) {
  return create(GetStatusRequestSchema, { appId: "shop", visitor: { fingerprintId } });
}

async function run(plan: CallPlan): Promise<CallReport> {
  const call = callOf(plan);
  const took = createHistogram();
  const until = performance.now() + plan.seconds * 1000;
  let calls = 0;
  let failed = 0;
  const caller = async () => {
    while (performance.now() < until) {
      const begun = performance.now();
      await call(`visitor-${calls % 1000}`).catch(() => failed++);
      took.record(Math.max(1, Math.round((performance.now() - begun) * 1000)));
      calls++;
    }
  };
  await Promise.all(Array.from({ length: plan.callers }, caller));
  return { calls, failed, p50Ms: took.percentile(50) / 1000, p99Ms: took.percentile(99) / 1000 };
}

process.once("message", (plan: CallPlan) => {
  run(plan).then((report) => process.send?.(report, () => process.exit(0)));
});
