import { MAILING_SECRETS, type MailingSecrets } from "../../domain/hook.js";
import type { Seal } from "../../domain/secret-encryption.js";
import type { HookStore } from "../../store/ports/hook-store.js";
import type { UnitOfWork } from "../../store/ports/unit-of-work.js";

const APPS_A_PAGE = 100;

/**
 * Encrypts the secrets of all apps with the current key: those in plain text or under the previous key. Returns the
 * number of changed apps. Rejects with SecretKeyMissing when a secret is under another key.
 */
export async function resealSecrets(deps: {
  readonly kept: Pick<HookStore, "apps">;
  readonly unitOfWork: Pick<UnitOfWork, "run">;
  readonly seal: Seal;
}): Promise<number> {
  const { kept, unitOfWork, seal } = deps;
  let resealed = 0;
  for (let from = "", atEnd = false; !atEnd; ) {
    const page = await kept.apps(from, APPS_A_PAGE);
    atEnd = page.length < APPS_A_PAGE;
    from = page.at(-1)?.appId ?? from;
    for (const { appId, secrets } of page) {
      if (!textsOf(secrets).some(seal.isStale)) continue;
      await unitOfWork.run(appId, (tx) => {
        const now = tx.mailingSecrets.get(MAILING_SECRETS); // another process may have done it already
        if (now === undefined || !textsOf(now).some(seal.isStale)) return;
        tx.mailingSecrets.put(
          MAILING_SECRETS,
          eachText(now, (text) => seal.seal(appId, seal.open(appId, text))),
        );
      });
      resealed++;
    }
  }
  return resealed;
}

function textsOf({ linkKey, hook, signing }: MailingSecrets): readonly string[] {
  return [linkKey, hook?.secret ?? "", ...signing.map(({ secret }) => secret)];
}

function eachText(secrets: MailingSecrets, change: (text: string) => string): MailingSecrets {
  const { linkKey, hook, signing } = secrets;
  return {
    ...secrets,
    linkKey: linkKey === "" ? "" : change(linkKey),
    hook: hook && { ...hook, secret: change(hook.secret) },
    signing: signing.map((one) => ({ ...one, secret: change(one.secret) })),
  };
}
