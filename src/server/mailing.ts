/** Parts for mails and hook messages: links, hooks, and the delivery of the outbox. */

import type { SendHook } from "../adapters/hook-sender.js";
import type { Metrics } from "../adapters/metrics.js";
import type { Now } from "../domain/clock.js";
import type { Seal } from "../domain/secret-encryption.js";
import { createHookDelivery, type DeliverHooks } from "../identity/hooks/hook-delivery.js";
import { createHooks, type Hooks } from "../identity/hooks/hooks.js";
import { createLinks, type Links } from "../identity/links/links.js";
import type { Suppressions } from "../identity/suppressions.js";
import type { HookStore } from "../store/ports/hook-store.js";
import type { UnitOfWork } from "../store/ports/unit-of-work.js";

export interface MailingOptions {
  /** Public address of links in mails, without a trailing slash; undefined when unknown: then no links are made. */
  readonly publicUrl?: string | undefined;
  /** Undefined when this process sends no hook messages; they wait for one that does. */
  readonly sendHook?: SendHook | undefined;
}

export interface Mailing {
  readonly links: Links;
  /** The URL of a link; undefined when this server does not know its public address. */
  readonly linkUrl: (token: string) => string | undefined;
  readonly hooks: Hooks;
  /** Sends the hook messages that are due. */
  readonly deliverHooks: DeliverHooks | undefined;
}

export function createMailing(
  deps: MailingOptions & {
    readonly hookStore: HookStore;
    readonly unitOfWork: UnitOfWork;
    readonly seal: Seal;
    readonly now: Now;
    readonly newId: () => string;
    /** Returns 32 random hex digits. */
    readonly newSecret: () => string;
    readonly metrics: Metrics;
    readonly suppressions: Suppressions;
  },
): Mailing {
  const { hookStore, unitOfWork, seal, now, newId, newSecret, publicUrl, sendHook, metrics, suppressions } = deps;
  const newKey = () => newSecret() + newSecret();
  const links = createLinks({ unitOfWork, seal, now, newId, newSalt: newSecret, newKey, suppressions });
  const linkUrl = (token: string) => (publicUrl === undefined ? undefined : `${publicUrl}/s/${token}`);
  return {
    links,
    linkUrl,
    hooks: createHooks({ unitOfWork, kept: hookStore, seal, now, newKey }),
    deliverHooks:
      sendHook &&
      createHookDelivery({
        hooks: hookStore,
        unitOfWork,
        seal,
        send: sendHook,
        linkOf: (tx, entry) => {
          if (entry.kind !== "subscription.confirmation_wanted") return undefined;
          const link = links.confirming(tx, entry);
          const url = link && linkUrl(link.token);
          return url === undefined ? undefined : { url, validUntil: link?.validUntil ?? 0 };
        },
        now,
        metrics,
      }),
  };
}
