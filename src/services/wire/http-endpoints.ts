import { Code, type ConnectError } from "@connectrpc/connect";
import { errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { refusal } from "../errors/error-info.js";
import { refuseCall, send } from "./error-answers.js";
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
      refuseRequest(request, response, 404, refusal("There is no such call", Code.Unimplemented, "UNKNOWN_METHOD"));
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

/** An error of a path that is no RPC, in Connect's format. */
export function plainError(response: NodeResponse, status: number, code: string, message: string): void {
  send(response, status, "application/json", JSON.stringify({ code, message }));
}

/** Answers a request, which may be a call, with an error in its caller's protocol; with this status if it is not gRPC. */
export function refuseRequest(request: NodeRequest, response: NodeResponse, status: number, error: ConnectError): void {
  if (request.headers["content-type"]?.startsWith("application/grpc")) refuseCall(request, response, error);
  else send(response, status, "application/json", errorToJsonBytes(error, undefined));
}
