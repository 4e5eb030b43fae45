import type { Now } from "../domain/clock.js";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import { type Hook, MAILING_SECRETS, NO_MAILING_SECRETS, outboxKey } from "../domain/mailing.js";
import type { HookStore } from "../ports/hook-store.js";
import type { UnitOfWork } from "../ports/unit-of-work.js";
import { secretText } from "./signature.js";

const ACCEPTED = "an https address without user, password or fragment, at most 2000 characters";
const MAX_URL = 2000;
/** Messages dropped in one work. */
const PAGE = 500;

export interface Hooks {
  /** Sets where changes are told, with a new secret. Messages that wait go to the new address. Rejects with NotFound("app"). */
  set(appId: string, url: string): Promise<Hook>;
  /** Changes are told to nobody from now on; what waits is dropped. False when there was none. */
  remove(appId: string): Promise<boolean>;
  /** Lets messages that were given up be sent again, at once. Answers how many there were. */
  resend(appId: string, messageIds: readonly string[]): Promise<number>;
}

export function createHooks(deps: {
  readonly unitOfWork: UnitOfWork;
  readonly kept: Pick<HookStore, "due">;
  readonly now: Now;
  /** 64 hex digits that nobody can guess. */
  readonly newKey: () => string;
}): Hooks {
  const { unitOfWork, now, newKey } = deps;
  return {
    set: async (appId, url) => {
      const hook = { url: checkedUrl(url), secret: secretText(Buffer.from(newKey(), "hex")) };
      await unitOfWork.run(appId, (tx) => {
        if (tx.app() === undefined) throw new NotFound("app");
        const secrets = tx.mailingSecrets.get(MAILING_SECRETS) ?? NO_MAILING_SECRETS;
        tx.mailingSecrets.put(MAILING_SECRETS, { ...secrets, hook });
      });
      return hook;
    },
    remove: async (appId) => {
      const isGone = await unitOfWork.run(appId, (tx) => {
        const secrets = tx.mailingSecrets.get(MAILING_SECRETS);
        if (!secrets?.hook) return false;
        tx.mailingSecrets.put(MAILING_SECRETS, { ...secrets, hook: null });
        return true;
      });
      for (let waiting = PAGE; isGone && waiting === PAGE; ) {
        const page = await deps.kept.due(appId, Number.MAX_SAFE_INTEGER - 1, PAGE);
        await unitOfWork.run(appId, (tx) => {
          for (const entry of page) tx.outbox.delete(outboxKey(entry));
        });
        waiting = page.length;
      }
      return isGone;
    },
    resend: (appId, messageIds) => {
      const at = now();
      return unitOfWork.run(appId, (tx) => {
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

function checkedUrl(text: string): string {
  if (text === "") throw new InvalidArgument("url", "missing");
  const url = URL.canParse(text) && text.length <= MAX_URL ? new URL(text) : undefined;
  const isUsable = url?.protocol === "https:" && url.username === "" && url.password === "" && url.hash === "";
  if (url === undefined || !isUsable) throw new InvalidArgument("url", "invalid", ACCEPTED);
  return url.href;
}
