import type { Contact, SubscriptionChange } from "../../domain/contact.js";

/** Reads contacts and the consent ledger. A unit of work writes them. */
export interface ContactStore {
  /** By its id, or by the id of a former contact that turned out to be it. */
  get(appId: string, contactId: string): Promise<Contact | undefined>;
  /** By `e:<email key>`, `p:<phone key>`, or `i:<id>` of a former contact. */
  find(appId: string, contactKey: string): Promise<Contact | undefined>;
  /** Up to `limit` contacts with ids greater than `after`, in id order. */
  list(appId: string, after: string, limit: number): Promise<Contact[]>;
  /** Up to `limit` ledger entries with ids greater than `after`, oldest first. `contactId` "" means all contacts. */
  changes(appId: string, contactId: string, after: string, limit: number): Promise<SubscriptionChange[]>;
}
