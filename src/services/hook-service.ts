import type { ServiceImpl } from "@connectrpc/connect";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { HookService } from "../gen/aisle/v1/hook_service_pb.js";
import type { Hooks } from "../hooks/hooks.js";
import type { AppStore } from "../ports/app-store.js";
import type { HookStore } from "../ports/hook-store.js";
import { guarded, type ReportInternal } from "./errors.js";
import { hookMessage } from "./hook-messages.js";
import { page, pageSize, readPageToken } from "./paging.js";
import { requireApp } from "./require-app.js";

/** Messages that one call sends again. */
const MAX_RESENT = 1000;

export interface HookServiceDependencies {
  readonly hooks: Hooks;
  readonly kept: HookStore;
  readonly apps: Pick<AppStore, "get">;
  readonly report: ReportInternal;
}

export function createHookService({
  hooks,
  kept,
  apps,
  report,
}: HookServiceDependencies): ServiceImpl<typeof HookService> {
  return {
    setHook: guarded(report, async (request) => {
      await requireApp(apps, request.appId);
      const { secret } = await hooks.set(request.appId, request.url);
      return { secret };
    }),

    getHook: guarded(report, async (request) => {
      await requireApp(apps, request.appId);
      const hook = (await kept.secrets(request.appId))?.hook;
      if (!hook) throw new NotFound("hook");
      return { url: hook.url };
    }),

    deleteHook: guarded(report, async (request) => {
      await requireApp(apps, request.appId);
      if (!(await hooks.remove(request.appId))) throw new NotFound("hook");
      return {};
    }),

    listFailedMessages: guarded(report, async (request) => {
      await requireApp(apps, request.appId);
      const size = pageSize(request.pageSize);
      const found = await kept.dead(request.appId, readPageToken(request.pageToken), size + 1);
      const [messages, nextPageToken] = page(found, size, ({ messageId }) => messageId);
      return {
        messages: messages.map(hookMessage),
        nextPageToken,
      };
    }),

    resendMessages: guarded(report, async (request) => {
      await requireApp(apps, request.appId);
      const { messageIds } = request;
      if (messageIds.length === 0) throw new InvalidArgument("message_ids", "missing");
      if (messageIds.length > MAX_RESENT) throw new InvalidArgument("message_ids", "invalid", `at most ${MAX_RESENT}`);
      return { resent: await hooks.resend(request.appId, messageIds) };
    }),
  };
}
