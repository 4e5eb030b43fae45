import type { ServiceImpl } from "@connectrpc/connect";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { SigningSecret } from "../domain/hook.js";
import type { AppService } from "../gen/aisle/v1/app_service_pb.js";
import type { SignedEvents } from "../intake/signed-events.js";
import type { AppStore } from "../store/ports/app-store.js";
import { timestampOf } from "./common-messages.js";
import { requireApp } from "./require-app.js";
import { guarded, type ReportInternal } from "./wire/errors.js";

export function signingSecretHandlers(deps: {
  readonly apps: Pick<AppStore, "get">;
  readonly signedEvents: SignedEvents;
  readonly report: ReportInternal;
}): Pick<ServiceImpl<typeof AppService>, "createSigningSecret" | "listSigningSecrets" | "deleteSigningSecret"> {
  const { apps, signedEvents, report } = deps;
  return {
    createSigningSecret: guarded(report, async ({ appId, replaceOldest }) => {
      await requireApp(apps, appId);
      const made = await signedEvents.create(appId, replaceOldest);
      return { signingSecret: messageOf(made), secret: made.secret };
    }),

    listSigningSecrets: guarded(report, async ({ appId }) => {
      await requireApp(apps, appId);
      return { signingSecrets: (await signedEvents.list(appId)).map(messageOf) };
    }),

    deleteSigningSecret: guarded(report, async ({ appId, secretId }) => {
      await requireApp(apps, appId);
      if (secretId === "") throw new InvalidArgument("secret_id", "missing");
      if (!(await signedEvents.remove(appId, secretId))) throw new NotFound("signing_secret");
      return {};
    }),
  };
}

function messageOf({ secretId, createdAt }: SigningSecret) {
  return { secretId, createdAt: timestampOf(createdAt) };
}
