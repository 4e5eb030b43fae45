import type { CallOptions, Client } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AppService } from "../gen/aisle/v1/app_service_pb.js";
import { SubscriptionState } from "../gen/aisle/v1/subscription_pb.js";
import type { SubscriptionService } from "../gen/aisle/v1/subscription_service_pb.js";
import { readCookie, type StatusCookies, type VisitorStatus } from "./cookies.js";
import { isSameSite, type Origins } from "./cors.js";
import { invalidApp, missing, Refused, TEXT } from "./errors.js";
import { decodeTwiceEncodedId, readForm } from "./form.js";
import { sendJson } from "./rest-server.js";
import { cleanId, isAppId, isNothing } from "./text-values.js";

export interface SubscriptionStatusDependencies {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, "getStatus">;
  readonly apps: Pick<Client<typeof AppService>, "getApp">;
  readonly origins: Origins;
  readonly statusCookies: StatusCookies;
  /** Host of the public URL; undefined: the Host header of the request. */
  readonly publicHost: string | undefined;
  readonly callOptions: CallOptions | undefined;
}

const ANONYMOUS: VisitorStatus = { identified: false, status: null };

/**
 * GET /subscription_status: answers from the visitor's cookies when they hold an answer, otherwise from the service.
 */
export function createSubscriptionStatus(deps: SubscriptionStatusDependencies) {
  const { origins, statusCookies } = deps;

  async function ask(appId: string, visitorId: string): Promise<VisitorStatus> {
    if (isNothing(visitorId)) {
      // There is no visitor to look up, but the app must exist.
      await deps.apps.getApp({ appId }, deps.callOptions);
      return ANONYMOUS;
    }
    const { identified, emailState } = await deps.subscriptions.getStatus(
      { appId, visitor: { fingerprintId: visitorId } },
      deps.callOptions,
    );
    return identified ? { identified, status: statusOf(emailState) } : ANONYMOUS;
  }

  /** The `fp_ccid` cookie, unless a page of another site asks: that page must not learn about its visitors here. */
  async function cookieVisitor(request: FastifyRequest, appId: string): Promise<string> {
    const { cookie, origin, host } = request.headers;
    const visitorId = cleanId(readCookie(cookie, "fp_ccid"));
    if (visitorId === "" || origin === undefined) return visitorId;
    const fetchSite = request.headers["sec-fetch-site"];
    const own = isSameSite(origin, typeof fetchSite === "string" ? fetchSite : undefined, deps.publicHost ?? host);
    return own || (await origins.lists(appId, origin)) ? visitorId : "";
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { fields } = readForm(queryOf(request));
    const appId = fields.get("app_id") ?? "";
    if (appId === "") throw missing("subscription_status", "app_id");
    if (!isAppId(appId)) throw invalidApp("subscription_status");
    const { origin, cookie } = request.headers;
    if (origin !== undefined && !(await origins.allows(appId, origin))) throw new Refused(403, TEXT.originNotAllowed);
    const visitorId = cleanId(decodeTwiceEncodedId(fields.get("fpcid") ?? "")) || (await cookieVisitor(request, appId));
    if (visitorId === "") throw missing("subscription_status", "fpcid");

    const cached = isForced(fields.get("force")) ? undefined : statusCookies.read(cookie, appId, visitorId);
    const answer = cached ?? (await ask(appId, visitorId));
    if (cached === undefined) reply.header("set-cookie", statusCookies.store(appId, visitorId, answer));
    sendStatus(reply, answer);
  };
}

function sendStatus(reply: FastifyReply, { identified, status }: VisitorStatus): void {
  sendJson(reply, 200, `{"identified":${identified},"status":${status},"message":"Success"}`);
}

function statusOf(state: SubscriptionState): boolean | null {
  if (state === SubscriptionState.SUBSCRIBED) return true;
  return state === SubscriptionState.UNSUBSCRIBED ? false : null;
}

function isForced(force: string | undefined): boolean {
  return force !== undefined && (force === "1" || force.trim().toLowerCase() === "true");
}

function queryOf(request: FastifyRequest): string {
  const { url } = request;
  const mark = url.indexOf("?");
  return mark === -1 ? "" : url.slice(mark + 1);
}
