import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Channel } from "../domain/contact.js";
import { Conflict, InvalidArgument } from "../domain/errors.js";
import { LinkPurpose } from "../gen/aisle/v1/link_pb.js";
import { SubscriptionChannel } from "../gen/aisle/v1/subscription_pb.js";
import { type CreateLinkRequest, SubscriptionService } from "../gen/aisle/v1/subscription_service_pb.js";
import type { LinkPurpose as Purpose } from "../identity/links/link-token.js";
import {
  type LinkOrder,
  type Links,
  type LinkView,
  MAX_LINK_LIFETIME_MS,
  type MadeLink,
} from "../identity/links/links.js";
import type { AppStore } from "../store/ports/app-store.js";
import { visitorIdsOf } from "./common-messages.js";
import { guarded, type ReportInternal } from "./errors/errors.js";
import type { Mutation } from "./mutations.js";
import { namedContact } from "./named-contact.js";
import { requireApp } from "./require-app.js";

export interface LinkHandlersDependencies {
  readonly links: Links;
  readonly apps: Pick<AppStore, "get">;
  /** The URL of a link; undefined when the server does not know its public address. */
  readonly linkUrl: (token: string) => string | undefined;
  readonly mutation: Mutation;
  readonly report: ReportInternal;
}

const PURPOSES = { confirm: LinkPurpose.CONFIRM, unsubscribe: LinkPurpose.UNSUBSCRIBE } as const;

/** The methods of SubscriptionService for links in mails. */
export function linkHandlers(
  deps: LinkHandlersDependencies,
): Pick<ServiceImpl<typeof SubscriptionService>, "createLink" | "getLink" | "followLink"> {
  const { links, apps, linkUrl, mutation, report } = deps;
  const nameOf = async (appId: string) => (await apps.get(appId))?.displayName ?? "";
  const answer = async ({ appId, purpose, channel, done }: LinkView) => ({
    appId,
    appName: await nameOf(appId),
    purpose: PURPOSES[purpose],
    channel: channel === "email" ? SubscriptionChannel.EMAIL : SubscriptionChannel.SMS,
    done,
  });
  return {
    createLink: mutation(SubscriptionService.method.createLink, async (request, once) => {
      await requireApp(apps, request.appId);
      const order = orderOf(request);
      if (linkUrl("") === undefined)
        throw new Conflict("public_url_not_set", "The public address of this server is not set");
      const answer = ({ token, validUntil }: MadeLink) => {
        const expireTime = timestampFromMs(validUntil);
        if (request.validateOnly) return { expireTime };
        const url = linkUrl(token) ?? "";
        const mailHeaders =
          order.purpose === "unsubscribe"
            ? `List-Unsubscribe: <${url}>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n`
            : "";
        return { url, expireTime, mailHeaders };
      };
      return once.change(answer, (change) => links.make(request.appId, order, change));
    }),

    getLink: guarded(report, async (request) => answer(await links.look(requireToken(request.token)))),

    followLink: mutation(SubscriptionService.method.followLink, async (request, once) => {
      const ids = request.visitor === undefined ? null : visitorIdsOf(request.visitor);
      const token = requireToken(request.token);
      const kept = ({ appId, purpose }: LinkView) => ({ appId, purpose: PURPOSES[purpose] });
      const { appId = "", purpose } = await once.change(kept, (change) => links.follow(token, ids, change));
      return { appId, appName: await nameOf(appId), purpose: purpose ?? LinkPurpose.UNSPECIFIED };
    }),
  };
}

function requireToken(token: string): string {
  if (token === "") throw new InvalidArgument("token", "missing");
  return token;
}

function orderOf(request: CreateLinkRequest): LinkOrder {
  const named = namedContact(request);
  const { ttl: validFor } = request;
  const validForMs = validFor === undefined ? 0 : Number(validFor.seconds) * 1000;
  if (validFor !== undefined && (validForMs < 1000 || validForMs > MAX_LINK_LIFETIME_MS))
    throw new InvalidArgument("ttl", "invalid", "from a second to ten years");
  return {
    ...named,
    purpose: purposeOf(request.purpose),
    channel: channelOf(request.channel),
    validForMs,
  };
}

function purposeOf(purpose: LinkPurpose): Purpose {
  if (purpose === LinkPurpose.CONFIRM) return "confirm";
  if (purpose === LinkPurpose.UNSUBSCRIBE) return "unsubscribe";
  throw new InvalidArgument(
    "purpose",
    purpose === LinkPurpose.UNSPECIFIED ? "missing" : "invalid",
    "CONFIRM or UNSUBSCRIBE",
  );
}

function channelOf(channel: SubscriptionChannel): Channel {
  if (channel === SubscriptionChannel.EMAIL) return "email";
  if (channel === SubscriptionChannel.SMS) return "sms";
  throw new InvalidArgument(
    "channel",
    channel === SubscriptionChannel.UNSPECIFIED ? "missing" : "invalid",
    "EMAIL or SMS",
  );
}
