/**
 * `/s/TOKEN`, the links in mails. GET shows a page that asks, and changes nothing, since mail scanners open links. POST
 * makes the change: by the page's button, or by a mail program's one click (RFC 8058).
 */
import { Code, ConnectError } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import { LinkPurpose } from "../gen/aisle/v1/link_pb.js";
import { readVisitorCookie } from "./cookies.js";
import { TEXT } from "./errors.js";
import { LINK_PAGE_HEADERS, type LinkPageState, linkPage } from "./link-page.js";
import type { OperationParts } from "./operations.js";
import { type ReportCall, sendError } from "./rest-server.js";

type LinkRequest = FastifyRequest<{ Params: { "*": string } }>;

export function createLinkPages({ subscriptions, callOptions }: OperationParts, report: ReportCall) {
  const answered =
    (act: (request: LinkRequest) => Promise<{ readonly state: LinkPageState; readonly appName: string }>) =>
    async (request: LinkRequest, reply: FastifyReply): Promise<FastifyReply> => {
      try {
        const { state, appName } = await act(request);
        return sendPage(request, reply, 200, state, appName);
      } catch (error) {
        const code = error instanceof ConnectError ? error.code : Code.Unknown;
        if (code === Code.NotFound || code === Code.InvalidArgument) return sendPage(request, reply, 404, "void");
        if (AWAY.has(code)) return sendPage(request, reply.header("retry-after", "60"), 503, "failed");
        report(undefined, request.id, error);
        return sendPage(request, reply, 500, "failed");
      }
    };
  return {
    ask: answered(async ({ params }) => {
      const { appName, purpose, done } = await subscriptions.getLink({ token: params["*"] }, callOptions);
      const asked = purpose === LinkPurpose.CONFIRM ? "ask_confirm" : "ask_unsubscribe";
      return { appName, state: done ? doneState(purpose) : asked };
    }),
    follow: answered(async ({ params, headers }) => {
      const fingerprintId = readVisitorCookie(headers.cookie);
      const visitor = fingerprintId === "" ? undefined : { fingerprintId };
      const { appName, purpose } = await subscriptions.followLink({ token: params["*"], visitor }, callOptions);
      return { appName, state: doneState(purpose) };
    }),
  };
}

const AWAY: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded, Code.Aborted]);

function doneState(purpose: LinkPurpose): LinkPageState {
  return purpose === LinkPurpose.CONFIRM ? "confirmed" : "unsubscribed";
}

/** Browsers get a page; other programs get the same errors as everywhere else. */
function sendPage({ headers }: LinkRequest, reply: FastifyReply, status: number, state: LinkPageState, appName = "") {
  const { accept = "", "accept-language": language } = headers;
  const isFault = state === "void" || state === "failed";
  if (isFault && !accept.includes("text/html"))
    return sendError(reply, status, state === "void" ? TEXT.notFound : TEXT.unavailable);
  const page = linkPage(state, appName, language);
  return reply.code(status).headers(LINK_PAGE_HEADERS).send(page);
}
