/**
 * `/s/TOKEN`, the links in mails. GET shows a page that asks, and changes nothing, since mail scanners open links. POST
 * makes the change: by the page's button, or by a mail program's one click (RFC 8058).
 */
import { type CallOptions, type Client, Code, ConnectError } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import { LinkPurpose } from "../gen/aisle/v1/link_pb.js";
import type { SubscriptionService } from "../gen/aisle/v1/subscription_service_pb.js";
import { readCookie } from "./cookies.js";
import { TEXT } from "./errors.js";
import { LINK_PAGE_HEADERS, type LinkPageState, linkPage } from "./link-page.js";
import { sendError } from "./rest-server.js";
import { isNothing, trimSpaces } from "./text-values.js";

export interface LinksDependencies {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, "getLink" | "followLink">;
  readonly callOptions: CallOptions | undefined;
  /** Called with each internal failure. */
  readonly onFailure: (error: unknown, requestId: string) => void;
}

export function createLinkPages({ subscriptions, callOptions, onFailure }: LinksDependencies) {
  const answered = async (
    request: FastifyRequest,
    reply: FastifyReply,
    act: () => Promise<{ readonly state: LinkPageState; readonly appName: string }>,
  ): Promise<FastifyReply> => {
    try {
      const { state, appName } = await act();
      return sendPage(request, reply, 200, state, appName);
    } catch (error) {
      if (error instanceof ConnectError && (error.code === Code.NotFound || error.code === Code.InvalidArgument))
        return sendPage(request, reply, 404, "void", "");
      const isAway = error instanceof ConnectError && AWAY.has(error.code);
      if (!isAway) onFailure(error, request.id);
      else reply.header("retry-after", "60");
      return sendPage(request, reply, isAway ? 503 : 500, "failed", "");
    }
  };
  return {
    ask: (request: FastifyRequest<{ Params: { "*": string } }>, reply: FastifyReply) =>
      answered(request, reply, async () => {
        const { appName, purpose, done } = await subscriptions.getLink({ token: request.params["*"] }, callOptions);
        const isConfirm = purpose === LinkPurpose.CONFIRM;
        const asked = isConfirm ? "ask_confirm" : "ask_unsubscribe";
        return { appName, state: done ? doneState(purpose) : asked };
      }),
    follow: (request: FastifyRequest<{ Params: { "*": string } }>, reply: FastifyReply) =>
      answered(request, reply, async () => {
        const fingerprintId = trimSpaces(readCookie(request.headers.cookie, "fp_ccid"));
        const visitor = isNothing(fingerprintId) ? undefined : { fingerprintId };
        const { "*": token } = request.params;
        const { appName, purpose } = await subscriptions.followLink({ token, visitor }, callOptions);
        return { appName, state: doneState(purpose) };
      }),
  };
}

const AWAY: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded, Code.Aborted]);

function doneState(purpose: LinkPurpose): LinkPageState {
  return purpose === LinkPurpose.CONFIRM ? "confirmed" : "unsubscribed";
}

const FAILURES: ReadonlyMap<LinkPageState, string> = new Map([
  ["void", TEXT.notFound],
  ["failed", TEXT.unavailable],
]);

/** Browsers get a page; other programs get the same errors as everywhere else. */
function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  state: LinkPageState,
  appName: string,
): FastifyReply {
  const { accept = "", "accept-language": language } = request.headers;
  const failure = FAILURES.get(state);
  if (failure !== undefined && !accept.includes("text/html")) return sendError(reply, status, failure);
  return reply
    .code(status)
    .headers({ ...LINK_PAGE_HEADERS })
    .send(linkPage(state, appName, language));
}
