import type { Now } from "../../domain/clock.js";
import { InvalidArgument, NotFound } from "../../domain/errors.js";
import { checkEtag, etagOf } from "../../domain/etag.js";
import { type Hook, MAILING_SECRETS, NO_MAILING_SECRETS, outboxKey } from "../../domain/hook.js";
import type { Seal } from "../../domain/secret-encryption.js";
import { secretText } from "../../domain/signature.js";
import type { HookStore } from "../../store/ports/hook-store.js";
import type { Change, UnitOfWork } from "../../store/ports/unit-of-work.js";

const ACCEPTED = "an https address without user, password or fragment, at most 2000 characters";
const MAX_URL = 2000;
/** Messages deleted in one work. */
const PAGE = 500;

/** What a shop wants of its hook. */
export type WantedHook = Pick<Hook, "url" | "tellsErasures">;

/** The secret and the etag of a hook. */
export interface MadeHook {
  readonly secret: string;
  readonly etag: string;
}

export interface Hooks {
  /**
   * Sets the address that receives changes, with a new secret, and whether it gets messages about erasures. Waiting messages go to it.
   * Rejects with NotFound("app").
   */
  set(appId: string, wanted: WantedHook, etag?: string, change?: Change<MadeHook>): Promise<MadeHook>;
  /** Removes the hook and drops its waiting messages. False if the app has none. */
  remove(appId: string, etag?: string, change?: Change<boolean>): Promise<boolean>;
  /** Requeues messages that were given up, due at once. Returns their number. */
  resend(appId: string, messageIds: readonly string[], change?: Change<number>): Promise<number>;
}

export function createHooks(deps: {
  readonly unitOfWork: UnitOfWork;
  readonly kept: Pick<HookStore, "due">;
  readonly seal: Seal;
  readonly now: Now;
  /** Returns 64 random hex digits. */
  readonly newKey: () => string;
}): Hooks {
  const { unitOfWork, seal, now, newKey } = deps;
  const inOneWork: UnitOfWork["run"] = (appId, work) => unitOfWork.run(appId, work);
  return {
    set: async (appId, { url, tellsErasures }, etag, change = inOneWork) => {
      const hook = { url: checkedUrl(url), tellsErasures, secret: secretText(Buffer.from(newKey(), "hex")) };
      const kept = { ...hook, secret: seal.seal(appId, hook.secret) };
      return change(appId, (tx) => {
        if (tx.app() === undefined) throw new NotFound("app");
        const secrets = tx.mailingSecrets.get(MAILING_SECRETS) ?? NO_MAILING_SECRETS;
        checkEtag(etag, hookEtag(secrets.hook));
        tx.mailingSecrets.put(MAILING_SECRETS, { ...secrets, hook: kept });
        return { secret: hook.secret, etag: hookEtag(kept) };
      });
    },
    remove: async (appId, etag, change = inOneWork) => {
      const isGone = await change(appId, (tx) => {
        const secrets = tx.mailingSecrets.get(MAILING_SECRETS);
        if (tx.app() === undefined || !secrets?.hook) return false;
        checkEtag(etag, hookEtag(secrets.hook));
        tx.mailingSecrets.put(MAILING_SECRETS, { ...secrets, hook: null });
        return true;
      });
      for (let waiting = PAGE; isGone && waiting === PAGE; ) {
        const page = await deps.kept.due(appId, Number.MAX_SAFE_INTEGER - 1, PAGE);
        waiting = await unitOfWork.run(appId, (tx) => {
          // A hook was set meanwhile: the waiting messages are for it.
          if (tx.mailingSecrets.get(MAILING_SECRETS)?.hook) return 0;
          for (const entry of page) tx.outbox.delete(outboxKey(entry));
          return page.length;
        });
      }
      return isGone;
    },
    resend: (appId, messageIds, change = inOneWork) => {
      const at = now();
      return change(appId, (tx) => {
        if (tx.app() === undefined) throw new NotFound("app");
        let count = 0;
        for (const messageId of new Set(messageIds)) {
          const dead = tx.deadHooks.get(messageId);
          if (dead === undefined) continue;
          tx.deadHooks.delete(messageId);
          const again = { ...dead, attempts: 0, nextAt: at };
          tx.outbox.put(outboxKey(again), again);
          count++;
        }
        return count;
      });
    },
  };
}

/** The etag of a stored hook with its encrypted secret; "" for none. */
export function hookEtag(hook: Hook | null): string {
  return hook === null ? "" : etagOf([hook.url, hook.secret]);
}

function checkedUrl(text: string): string {
  if (text === "") throw new InvalidArgument("url", "missing");
  const url = URL.canParse(text) && text.length <= MAX_URL ? new URL(text) : undefined;
  const isUsable = url?.protocol === "https:" && url.username === "" && url.password === "" && url.hash === "";
  if (url === undefined || !isUsable) throw new InvalidArgument("url", "invalid", ACCEPTED);
  return url.href;
}
