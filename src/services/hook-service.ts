import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { HookEntry } from "../domain/hook.js";
import { HookFailure, HookMessageSchema, HookMessageType } from "../gen/aisle/v1/hook_message_pb.js";
import { HookService } from "../gen/aisle/v1/hook_service_pb.js";
import { SubscriptionChannel } from "../gen/aisle/v1/subscription_pb.js";
import { type Hooks, hookEtag, type MadeHook } from "../identity/hooks/hooks.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { HookStore } from "../store/ports/hook-store.js";
import { timestampOf } from "./common-messages.js";
import { guarded, type ReportInternal } from "./errors/errors.js";
import type { Mutation } from "./mutations.js";
import { readPage } from "./paging.js";
import { requireApp } from "./require-app.js";
import { channelOf } from "./subscription-messages.js";

/** Maximum messages that one call requeues. */
const MAX_RESENT = 1000;

export interface HookServiceDependencies {
  readonly hooks: Hooks;
  readonly kept: HookStore;
  readonly apps: Pick<AppStore, "get">;
  readonly mutation: Mutation;
  readonly report: ReportInternal;
}

export function createHookService({
  hooks,
  kept,
  apps,
  mutation,
  report,
}: HookServiceDependencies): ServiceImpl<typeof HookService> {
  return {
    setHook: mutation(HookService.method.setHook, async (request, once) => {
      await requireApp(apps, request.appId);
      const answer = (made: MadeHook) => (request.validateOnly ? {} : made);
      return once.change(answer, (change) =>
        hooks.set(request.appId, { url: request.url, tellsErasures: request.tellErasures }, request.etag, change),
      );
    }),

    getHook: guarded(report, async (request) => {
      await requireApp(apps, request.appId);
      const hook = (await kept.secrets(request.appId))?.hook;
      if (!hook) throw new NotFound("hook");
      return { url: hook.url, etag: hookEtag(hook), tellErasures: hook.tellsErasures };
    }),

    deleteHook: mutation(HookService.method.deleteHook, async (request, once) => {
      await requireApp(apps, request.appId);
      const answer = (isRemoved: boolean) => {
        if (!isRemoved) throw new NotFound("hook");
        return {};
      };
      return once.change(answer, (change) => hooks.remove(request.appId, request.etag, change));
    }),

    listFailedMessages: guarded(report, async (request) => {
      const { appId } = await requireApp(apps, request.appId);
      const { items, nextPageToken } = await readPage(HookService.method.listFailedMessages, request, {
        schema: HookMessageSchema,
        read: (after, limit) => kept.dead(appId, after, limit),
        keyOf: ({ messageId }) => messageId,
        message: hookMessage,
      });
      return { messages: items, nextPageToken };
    }),

    resendMessages: mutation(HookService.method.resendMessages, async (request, once) => {
      await requireApp(apps, request.appId);
      const { messageIds } = request;
      if (messageIds.length === 0) throw new InvalidArgument("message_ids", "missing");
      if (messageIds.length > MAX_RESENT) throw new InvalidArgument("message_ids", "invalid", `at most ${MAX_RESENT}`);
      const answer = (resent: number) => ({ resent });
      return once.change(answer, (change) => hooks.resend(request.appId, messageIds, change));
    }),
  };
}

const TYPES = {
  "subscription.changed": HookMessageType.SUBSCRIPTION_CHANGED,
  "subscription.confirmation_wanted": HookMessageType.CONFIRMATION_WANTED,
  "person.erased": HookMessageType.PERSON_ERASED,
} as const satisfies Record<HookEntry["kind"], HookMessageType>;

const FAILURES = {
  address_not_allowed: HookFailure.ADDRESS_NOT_ALLOWED,
  host_not_found: HookFailure.HOST_NOT_FOUND,
  connection_failed: HookFailure.CONNECTION_FAILED,
  certificate_refused: HookFailure.CERTIFICATE_REFUSED,
  timed_out: HookFailure.TIMED_OUT,
  redirected: HookFailure.REDIRECTED,
  refused: HookFailure.REFUSED,
} as const satisfies Record<Exclude<HookEntry["failure"], "">, HookFailure>;

export function hookMessage(entry: HookEntry): MessageInitShape<typeof HookMessageSchema> {
  const { kind, channel, createdAt, attempts, status, failure, contactId, messageId } = entry;
  return {
    messageId,
    type: TYPES[kind],
    contactId,
    channel: kind === "person.erased" ? SubscriptionChannel.UNSPECIFIED : channelOf(channel),
    createTime: timestampOf(createdAt),
    attemptCount: attempts,
    failure: failure === "" ? HookFailure.UNSPECIFIED : FAILURES[failure],
    httpStatus: status,
  };
}
