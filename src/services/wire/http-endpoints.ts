import { Code } from "@connectrpc/connect";
import { encodeGrpcMessage } from "./grpc-message.js";
import type { NodeRequest, NodeResponse } from "./rpc-handler.js";

/** Source of the text that GET /metrics answers, in the Prometheus exposition format. */
export interface MetricsText {
  contentType: string;
  text(): Promise<string>;
}

/** Answers what is no RPC: /healthz, /metrics, and 404 in the shape the caller's protocol reads. */
export function createHttpEndpoints(deps: { metrics: MetricsText | undefined; onError: (error: unknown) => void }) {
  return (request: NodeRequest, response: NodeResponse): void => {
    const path = request.url?.split("?", 1)[0];
    if (path !== "/healthz" && (path !== "/metrics" || deps.metrics === undefined)) {
      notFound(request, response);
    } else if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      plainError(response, 405, "unimplemented", "This path takes GET only");
    } else if (path === "/healthz") {
      send(response, 200, "application/json", '{"status":"ok"}');
    } else if (deps.metrics !== undefined) {
      const { contentType } = deps.metrics;
      deps.metrics.text().then(
        (text) => send(response, 200, contentType, text),
        (error: unknown) => {
          deps.onError(error);
          plainError(response, 500, "internal", "The metrics cannot be read");
        },
      );
    }
  };
}

/** An error as Connect writes it, with the HTTP status that callers of other kinds go by. */
export function plainError(response: NodeResponse, status: number, code: string, message: string): void {
  send(response, status, "application/json", JSON.stringify({ code, message }));
}

function notFound(request: NodeRequest, response: NodeResponse): void {
  const message = "There is no such call";
  const grpc = /^application\/grpc(-web(-text)?)?(\+[a-z]+)?/.exec(request.headers["content-type"] ?? "")?.[0];
  if (grpc === undefined) {
    plainError(response, 404, "unimplemented", message);
  } else {
    // gRPC and gRPC-Web: an answer without a body carries its status in the headers, and HTTP says 200.
    response.setHeader("grpc-status", String(Code.Unimplemented));
    response.setHeader("grpc-message", encodeGrpcMessage(message));
    send(response, 200, grpc, "");
  }
}

function send(response: NodeResponse, status: number, contentType: string, body: string): void {
  response.statusCode = status;
  response.setHeader("content-type", contentType);
  // Without a body the headers end the stream: gRPC clients read a status nowhere else.
  if (body === "") response.end();
  else response.end(body);
}
