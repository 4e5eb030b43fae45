/**
 * Delivers the outbox of each app to the app's hook, at least once. A message is retried until the hook accepts it or
 * two days have passed. Then it counts as given up, until somebody requeues it.
 *
 * A sender claims a message for a minute, so that only one of several servers sends it. If that server dies, another
 * one sends the message again; receivers recognise it by its id. The body is built at the claim. A message whose contact was
 * erased is dropped, but not one that has its body: an unsubscription is still told, and then deleted.
 */

import type { HookMessage, HookOutcome, SendHook } from "../../adapters/hook-sender.js";
import type { Metrics } from "../../adapters/metrics.js";
import type { Now } from "../../domain/clock.js";
import type { Contact } from "../../domain/contact.js";
import { type HookEntry, MAILING_SECRETS, outboxKey } from "../../domain/hook.js";
import type { Seal } from "../../domain/secret-encryption.js";
import type { HookStore } from "../../store/ports/hook-store.js";
import type { Transaction, UnitOfWork } from "../../store/ports/unit-of-work.js";
import { type MessageLink, messageBody } from "./hook-message.js";
import { signatureHeaders } from "./signature.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Pauses between attempts, in milliseconds: about two days in all. */
export const RETRY_AFTER_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
];

/** Longer than a sender waits for an answer. */
const CLAIM_MS = MINUTE;
const APPS_A_PAGE = 100;
/** Messages of an app in one pass, and how many of them are sent at the same time. */
const MESSAGES_A_PASS = 100;
const AT_ONCE = 8;
/** Maximum of an app; the oldest are dropped. */
export const MAX_DEAD = 1000;

export interface HookDeliveryDependencies {
  readonly hooks: HookStore;
  readonly unitOfWork: UnitOfWork;
  readonly seal: Seal;
  readonly send: SendHook;
  /**
   * The link of a message that needs one, made in the claiming transaction; undefined when the server has no public
   * address.
   */
  readonly linkOf: (tx: Transaction, entry: HookEntry) => MessageLink | undefined;
  readonly now: Now;
  readonly metrics: Metrics;
}

/** Sends every message that is due, of all apps; a failed one is due again later. Rejects when the store fails. */
export type DeliverHooks = () => Promise<void>;

interface Claimed {
  readonly entry: HookEntry;
  readonly message: HookMessage;
}

export function createHookDelivery(deps: HookDeliveryDependencies): DeliverHooks {
  const { hooks, unitOfWork, send, now, metrics } = deps;

  const claim = (appId: string, due: HookEntry) => {
    const at = now();
    return unitOfWork.run(appId, (tx): Claimed | undefined => {
      const hook = tx.mailingSecrets.get(MAILING_SECRETS)?.hook;
      const before = tx.outbox.get(outboxKey(due));
      if (tx.app() === undefined || before === undefined) return undefined; // another server has it
      tx.outbox.delete(outboxKey(before));
      const contact = tx.contacts.get(before.contactId);
      if (!hook) return undefined;
      const body = contact === undefined ? before.body : bodyOf(tx, before, contact);
      if (body === "") return undefined;
      const entry = { ...before, nextAt: at + CLAIM_MS };
      tx.outbox.put(outboxKey(entry), entry);
      const headers = {
        "content-type": "application/json",
        "user-agent": "Aisle",
        ...signatureHeaders(deps.seal.open(appId, hook.secret), before.messageId, at, body),
      };
      return { entry, message: { url: hook.url, headers, body } };
    });
  };

  /** "" when the message needs a link and the server cannot make one. */
  const bodyOf = (tx: Transaction, entry: HookEntry, contact: Contact): string => {
    const link = deps.linkOf(tx, entry);
    if (entry.kind === "subscription.confirmation_wanted" && link === undefined) return "";
    const change = entry.changeId === "" ? undefined : tx.changes.get(entry.changeId);
    return messageBody(tx.appId, entry, contact, change, link);
  };

  const settle = (appId: string, entry: HookEntry, { failure, status }: HookOutcome) => {
    const at = now();
    return unitOfWork.run(appId, (tx) => {
      const key = outboxKey(entry);
      if (tx.app() === undefined || tx.outbox.get(key) === undefined) return;
      tx.outbox.delete(key);
      if (failure === undefined) return;
      const pause = RETRY_AFTER_MS[entry.attempts];
      const failed = { ...entry, attempts: entry.attempts + 1, failure, status };
      const isLeft = entry.contactId !== "" && tx.contacts.get(entry.contactId) === undefined;
      if (pause === undefined) {
        // Nothing of an erased contact stays.
        if (!isLeft) tx.deadHooks.put(entry.messageId, failed);
      } else {
        const next = { ...failed, nextAt: at + pause };
        tx.outbox.put(outboxKey(next), next);
      }
    });
  };

  const deliver = async (appId: string, due: HookEntry) => {
    const claimed = await claim(appId, due);
    if (claimed === undefined) return;
    const outcome = await send(claimed.message);
    metrics.count("hook_messages", { outcome: outcome.failure ?? "delivered" });
    await settle(appId, claimed.entry, outcome);
  };

  return async () => {
    for await (const appId of appsWithHooks(hooks)) {
      const due = await hooks.due(appId, now(), MESSAGES_A_PASS);
      if (due.length === 0) continue;
      for (let at = 0; at < due.length; at += AT_ONCE)
        await Promise.all(due.slice(at, at + AT_ONCE).map((entry) => deliver(appId, entry)));
      await dropOldest(deps, appId);
    }
  };
}

async function* appsWithHooks(hooks: HookStore): AsyncGenerator<string> {
  for (let after = ""; ; ) {
    const page = await hooks.apps(after, APPS_A_PAGE);
    for (const { appId, secrets } of page) if (secrets.hook !== null) yield appId;
    const last = page.at(-1);
    if (page.length < APPS_A_PAGE || last === undefined) return;
    after = last.appId;
  }
}

/** Limits the list of messages that were given up. */
async function dropOldest({ hooks, unitOfWork }: HookDeliveryDependencies, appId: string): Promise<void> {
  const dead = await hooks.dead(appId, "", MAX_DEAD + MESSAGES_A_PASS);
  // Sorted by time: ids from before UUIDs do not sort by it.
  const oldest = [...dead].sort((a, b) => a.createdAt - b.createdAt).slice(0, Math.max(0, dead.length - MAX_DEAD));
  if (oldest.length === 0) return;
  await unitOfWork.run(appId, (tx) => {
    for (const { messageId } of oldest) tx.deadHooks.delete(messageId);
  });
}
