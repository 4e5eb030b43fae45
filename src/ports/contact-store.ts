import type { Contact, SubscriptionChange } from "../domain/contact.js";

/** Reads contacts and the consent ledger. They are written in a unit of work. */
export interface ContactStore {
  get(appId: string, contactId: string): Promise<Contact | undefined>;
  /** By `e:<email key>` or `p:<phone key>`. */
  find(appId: string, contactKey: string): Promise<Contact | undefined>;
  /** Up to `limit` ledger entries with ids greater than `after`, oldest first; of one contact unless `contactId` is "". */
  changes(appId: string, contactId: string, after: string, limit: number): Promise<SubscriptionChange[]>;
}
