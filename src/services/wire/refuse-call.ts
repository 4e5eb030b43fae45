import type { ConnectError } from "@connectrpc/connect";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import {
  codeToHttpStatus,
  endStreamFlag,
  endStreamToJson,
  errorToJsonBytes,
} from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { withReason } from "../errors/error-info.js";
import { withPlainMessage } from "./grpc-message.js";
import type { NodeRequest, NodeResponse } from "./rpc-handler.js";

/** Answers a call with an error in its caller's protocol. The body of the call is not read (`unread-body.ts` discards it). */
export function refuseCall(request: NodeRequest, response: NodeResponse, refused: ConnectError): void {
  const error = withReason(refused);
  const contentType = request.headers["content-type"] ?? "";
  const grpc = /^application\/grpc(-web(-text)?)?(\+[a-z]+)?/.exec(contentType)?.[0];
  const stream = /^application\/connect\+[a-z]+/.exec(contentType)?.[0];
  if (grpc !== undefined) {
    const status = new Headers();
    setTrailerStatus(status, error);
    for (const [name, value] of withPlainMessage(status)) response.setHeader(name, value);
    answer(response, 200, grpc);
  } else if (stream !== undefined) {
    const end = endStreamToJson(new Headers(), error, undefined);
    answer(response, 200, stream, encodeEnvelope(endStreamFlag, Buffer.from(JSON.stringify(end))));
  } else {
    answer(response, codeToHttpStatus(error.code), "application/json", errorToJsonBytes(error, undefined));
  }
}

function answer(response: NodeResponse, status: number, contentType: string, body?: Uint8Array): void {
  response.statusCode = status;
  response.setHeader("content-type", contentType);
  if (body === undefined) response.end();
  else response.end(body);
}
