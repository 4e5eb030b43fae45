import type { FastifyReply, FastifyRequest } from "fastify";
import { SubscriptionState } from "../gen/aisle/v1/subscription_pb.js";
import { readCookie, type VisitorStatus } from "./cookies.js";
import { isSameSite } from "./cors.js";
import { invalidApp, missing } from "./errors.js";
import { decodeTwiceEncodedId, readForm } from "./form.js";
import type { OperationParts } from "./operations.js";
import { cleanId, isAppId, isNothing } from "./text-values.js";

const ANONYMOUS: VisitorStatus = { identified: false, status: null };

/**
 * GET /subscription_status: answers from the visitor's cookies when they hold an answer, otherwise from the service.
 */
export function createSubscriptionStatus(parts: OperationParts) {
  const { subscriptions, apps, origins, statusCookies, publicHost, callOptions } = parts;

  async function ask(appId: string, visitorId: string): Promise<VisitorStatus> {
    if (isNothing(visitorId)) {
      // There is no visitor to look up, but the app must exist.
      await apps.getApp({ appId }, callOptions);
      return ANONYMOUS;
    }
    const { identified, emailState } = await subscriptions.getStatus(
      { appId, visitor: { fingerprintId: visitorId } },
      callOptions,
    );
    return identified ? { identified, status: statusOf(emailState) } : ANONYMOUS;
  }

  /** The `fp_ccid` cookie, unless a page of another site asks: that page must not learn about its visitors here. */
  async function cookieVisitor(request: FastifyRequest, appId: string): Promise<string> {
    const { cookie, origin, host } = request.headers;
    const visitorId = cleanId(readCookie(cookie, "fp_ccid"));
    if (visitorId === "" || origin === undefined) return visitorId;
    const fetchSite = request.headers["sec-fetch-site"];
    const own = isSameSite(origin, typeof fetchSite === "string" ? fetchSite : undefined, publicHost ?? host);
    return own || (await origins.lists(appId, origin)) ? visitorId : "";
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { fields } = readForm(queryOf(request));
    const appId = fields.get("app_id") ?? "";
    if (appId === "") throw missing("subscription_status", "app_id");
    if (!isAppId(appId)) throw invalidApp("subscription_status");
    const { origin, cookie } = request.headers;
    await origins.check(appId, origin);
    const visitorId = cleanId(decodeTwiceEncodedId(fields.get("fpcid") ?? "")) || (await cookieVisitor(request, appId));
    if (visitorId === "") throw missing("subscription_status", "fpcid");

    const cached = isForced(fields.get("force")) ? undefined : statusCookies.read(cookie, appId, visitorId);
    const answer = cached ?? (await ask(appId, visitorId));
    if (cached === undefined) reply.header("set-cookie", statusCookies.store(appId, visitorId, answer));
    reply.send({ ...answer, message: "Success" });
  };
}

function statusOf(state: SubscriptionState): boolean | null {
  if (state === SubscriptionState.SUBSCRIBED) return true;
  return state === SubscriptionState.UNSUBSCRIBED ? false : null;
}

function isForced(force: string | undefined): boolean {
  return force !== undefined && (force === "1" || force.trim().toLowerCase() === "true");
}

function queryOf(request: FastifyRequest): string {
  const mark = request.url.indexOf("?");
  return mark === -1 ? "" : request.url.slice(mark + 1);
}
