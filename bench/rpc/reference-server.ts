/**
 * The least that a library can do for GetStatus: an answer that is always the same, over HTTP/2 without TLS.
 * `grpc-js` or `connect-node` is the first argument. Prints the port it listens on.
 */
import { createServer } from "node:http2";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import {
  type GetStatusRequest,
  GetStatusRequestSchema,
  type GetStatusResponse,
  GetStatusResponseSchema,
  SubscriptionService,
} from "../../src/gen/aisle/v1/subscription_service_pb.js";

const answer = { identified: true, emailState: SubscriptionState.SUBSCRIBED };

function serveGrpcJs(): Promise<number> {
  const server = new Server();
  server.addService(
    {
      getStatus: {
        path: "/aisle.v1.SubscriptionService/GetStatus",
        requestStream: false,
        responseStream: false,
        requestDeserialize: (bytes: Buffer): GetStatusRequest => fromBinary(GetStatusRequestSchema, bytes),
        requestSerialize: (message: GetStatusRequest) => Buffer.from(toBinary(GetStatusRequestSchema, message)),
        responseDeserialize: (bytes: Buffer): GetStatusResponse => fromBinary(GetStatusResponseSchema, bytes),
        responseSerialize: (message: GetStatusResponse) => Buffer.from(toBinary(GetStatusResponseSchema, message)),
      },
    },
    {
      getStatus: (_call: unknown, callback: (error: null, message: GetStatusResponse) => void) =>
        callback(null, create(GetStatusResponseSchema, answer)),
    },
  );
  return new Promise((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    ),
  );
}

function serveConnectNode(): Promise<number> {
  const handler = connectNodeAdapter({
    routes: (router) => void router.service(SubscriptionService, { getStatus: () => answer }),
  });
  const server = createServer(handler);
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    }),
  );
}

console.log(await (process.argv[2] === "grpc-js" ? serveGrpcJs() : serveConnectNode()));
