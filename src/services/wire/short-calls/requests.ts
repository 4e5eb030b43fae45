/**
 * Request and answer of a unary call as interceptors see them. Headers and signal are made when one asks: nearly none does.
 * They are no own properties, so an interceptor that changes a message makes a whole request of its own.
 */
import type { DescMessage, DescMethodUnary, MessageShape } from "@bufbuild/protobuf";
import type { UnaryRequest, UnaryResponse } from "@connectrpc/connect";
import type { DirectContext } from "../../calls/direct-clients.js";

class FastMessage {
  readonly stream = false;

  constructor(
    readonly method: DescMethodUnary,
    readonly message: MessageShape<DescMessage>,
    protected readonly context: DirectContext,
  ) {}

  get service() {
    return this.context.service;
  }
}

export class FastRequest extends FastMessage implements UnaryRequest {
  get requestMethod() {
    return this.context.requestMethod;
  }

  get url() {
    return this.context.url;
  }

  get header() {
    return this.context.requestHeader;
  }

  get signal() {
    return this.context.signal;
  }

  get contextValues() {
    return this.context.values;
  }
}

export class FastResponse extends FastMessage implements UnaryResponse {
  get header() {
    return this.context.responseHeader;
  }

  get trailer() {
    return this.context.responseTrailer;
  }
}
