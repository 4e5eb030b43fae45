import type { HookEntry, MailingSecrets } from "../domain/mailing.js";

/** Reads what apps sign with and the messages to their hooks. They are written in a unit of work. */
export interface HookStore {
  secrets(appId: string): Promise<MailingSecrets | undefined>;
  /** Up to `limit` apps that have secrets, with ids greater than `after`, in order of ids. */
  apps(after: string, limit: number): Promise<{ readonly appId: string; readonly secrets: MailingSecrets }[]>;
  /** Up to `limit` messages that are due at `now`, those due first first. */
  due(appId: string, now: number, limit: number): Promise<HookEntry[]>;
  /** Up to `limit` messages that were given up, with ids greater than `after`, in order of ids. */
  dead(appId: string, after: string, limit: number): Promise<HookEntry[]>;
}
