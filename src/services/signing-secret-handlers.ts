import type { ServiceImpl } from "@connectrpc/connect";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { SigningSecret } from "../domain/hook.js";
import { AppService } from "../gen/aisle/v1/app_service_pb.js";
import { SigningSecretSchema } from "../gen/aisle/v1/signing_secret_pb.js";
import type { SignedEvents } from "../intake/signed-events.js";
import type { AppStore } from "../store/ports/app-store.js";
import { timestampOf } from "./common-messages.js";
import { guarded, type ReportInternal } from "./errors/errors.js";
import type { Mutation } from "./mutations.js";
import { inMemory, numberKey, readPage } from "./paging.js";
import { requireApp } from "./require-app.js";

export function signingSecretHandlers(deps: {
  readonly apps: Pick<AppStore, "get">;
  readonly signedEvents: SignedEvents;
  readonly mutation: Mutation;
  readonly report: ReportInternal;
}): Pick<ServiceImpl<typeof AppService>, "createSigningSecret" | "listSigningSecrets" | "deleteSigningSecret"> {
  const { apps, signedEvents, mutation, report } = deps;
  return {
    createSigningSecret: mutation(AppService.method.createSigningSecret, async (request, once) => {
      const { appId, replaceOldest, validateOnly } = request;
      await requireApp(apps, appId);
      const answer = (made: SigningSecret) =>
        validateOnly
          ? { signingSecret: messageOf({ ...made, secretId: "" }) }
          : { signingSecret: messageOf(made), secret: made.secret };
      return once.change(answer, (change) => signedEvents.create(appId, replaceOldest, change));
    }),

    listSigningSecrets: guarded(report, async (request) => {
      const { appId } = await requireApp(apps, request.appId);
      const secrets = await signedEvents.list(appId);
      const { items, nextPageToken } = await readPage(AppService.method.listSigningSecrets, request, {
        schema: SigningSecretSchema,
        ...inMemory(secrets, ({ createdAt, secretId }) => numberKey(createdAt, secretId)),
        message: messageOf,
      });
      return { signingSecrets: items, nextPageToken };
    }),

    deleteSigningSecret: mutation(AppService.method.deleteSigningSecret, async ({ appId, secretId }, once) => {
      await requireApp(apps, appId);
      if (secretId === "") throw new InvalidArgument("secret_id", "missing");
      const answer = (isRemoved: boolean) => {
        if (!isRemoved) throw new NotFound("signing_secret");
        return {};
      };
      return once.change(answer, (change) => signedEvents.remove(appId, secretId, change));
    }),
  };
}

function messageOf({ secretId, createdAt }: SigningSecret) {
  return { secretId, createTime: timestampOf(createdAt) };
}
