import type { HookEntry, MailingSecrets } from "../../domain/hook.js";

/** Reads apps' signing secrets and the messages to their hooks. A unit of work writes them. */
export interface HookStore {
  secrets(appId: string): Promise<MailingSecrets | undefined>;
  /** Up to `limit` apps that have secrets, with ids greater than `after`, in id order. */
  apps(after: string, limit: number): Promise<{ readonly appId: string; readonly secrets: MailingSecrets }[]>;
  /** Up to `limit` messages that are due at `now`, the longest overdue first. */
  due(appId: string, now: number, limit: number): Promise<HookEntry[]>;
  /** Up to `limit` undeliverable messages with ids greater than `after`, in id order. */
  dead(appId: string, after: string, limit: number): Promise<HookEntry[]>;
}
