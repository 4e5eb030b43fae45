import { Code } from "@connectrpc/connect";
import { encodeGrpcMessage } from "./grpc-message.js";
import type { NodeRequest, NodeResponse } from "./rpc-handler.js";

/** Source of the text that GET /metrics answers, in the Prometheus exposition format. */
export interface MetricsText {
  contentType: string;
  text(): Promise<string>;
}

/** Answers requests that are not RPCs: /healthz, /metrics, and 404 in the format of the caller's protocol. */
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

/** An error in Connect's format, with the HTTP status for other callers. */
export function plainError(response: NodeResponse, status: number, code: string, message: string): void {
  send(response, status, "application/json", JSON.stringify({ code, message }));
}

function notFound(request: NodeRequest, response: NodeResponse): void {
  const message = "There is no such call";
  const grpc = /^application\/grpc(-web(-text)?)?(\+[a-z]+)?/.exec(request.headers["content-type"] ?? "")?.[0];
  if (grpc === undefined) {
    plainError(response, 404, "unimplemented", message);
  } else {
    // gRPC and gRPC-Web: an answer without a body has its status in the headers, with HTTP 200.
    response.setHeader("grpc-status", String(Code.Unimplemented));
    response.setHeader("grpc-message", encodeGrpcMessage(message));
    send(response, 200, grpc, "");
  }
}

function send(response: NodeResponse, status: number, contentType: string, body: string): void {
  response.statusCode = status;
  response.setHeader("content-type", contentType);
  // Without a body the headers end the stream: gRPC clients read the status only there.
  if (body === "") response.end();
  else response.end(body);
}
