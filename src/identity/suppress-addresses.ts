import { keyOfAddress } from "../domain/address-keys.js";
import type { Now } from "../domain/clock.js";
import { CHANNELS, type Channel, type Contact } from "../domain/contact.js";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { Change, Transaction, UnitOfWork } from "../store/ports/unit-of-work.js";
import { type NewSalt, state } from "./ledger/ledger.js";
import type { Suppressions } from "./suppressions.js";

/** What a call did to the suppression of addresses. */
export interface SuppressionCounts {
  /** Addresses whose suppression changed. */
  readonly changed: number;
  /** Those that were as the call wants them. */
  readonly unchanged: number;
}

export interface SuppressAddresses {
  /** Suppresses addresses and ends the subscriptions of their contacts. Rejects with InvalidArgument or NotFound("app"). */
  add(appId: string, addresses: readonly string[], change?: Change<SuppressionCounts>): Promise<SuppressionCounts>;
  /** Subscribes nobody: it only lets lists do so again. */
  remove(appId: string, addresses: readonly string[], change?: Change<SuppressionCounts>): Promise<SuppressionCounts>;
}

const MAX_ADDRESSES = 1000;

export function createSuppressAddresses(deps: {
  readonly unitOfWork: UnitOfWork;
  readonly suppressions: Suppressions;
  readonly now: Now;
  readonly newId: () => string;
  readonly newSalt: NewSalt;
  /** Returns 64 random hex digits. */
  readonly newKey: () => string;
}): SuppressAddresses {
  const { suppressions, newId, newSalt } = deps;
  const plain: Change<SuppressionCounts> = (appId, work) => deps.unitOfWork.run(appId, work);
  return {
    async add(appId, addresses, change = plain) {
      const keys = keysOf(addresses);
      const at = deps.now();
      const by = newId();
      const newKey = deps.newKey();
      return change(appId, (tx) => {
        if (tx.app() === undefined) throw new NotFound("app");
        for (const key of keys) endSubscription(tx, key, { at, by, newId, newSalt });
        const changed = suppressions.add(tx, keys, { suppressedAt: at, source: "rpc" }, newKey);
        return { changed, unchanged: keys.length - changed };
      });
    },

    async remove(appId, addresses, change = plain) {
      const keys = keysOf(addresses);
      return change(appId, (tx) => {
        if (tx.app() === undefined) throw new NotFound("app");
        const changed = suppressions.remove(tx, keys);
        return { changed, unchanged: keys.length - changed };
      });
    },
  };
}

/** The keys of the addresses, each once. */
function keysOf(addresses: readonly string[]): readonly string[] {
  if (addresses.length === 0) throw new InvalidArgument("addresses", "missing");
  if (addresses.length > MAX_ADDRESSES)
    throw new InvalidArgument("addresses", "invalid", `at most ${MAX_ADDRESSES} a call`);
  const keys = addresses.map((address, index) => {
    const key = keyOfAddress(address);
    if (key !== "") return key;
    throw new InvalidArgument(`addresses[${index}]`, "invalid", "an e-mail address, or a phone of 5 to 20 digits");
  });
  return [...new Set(keys)];
}

interface Said {
  readonly at: number;
  readonly by: string;
  readonly newId: () => string;
  readonly newSalt: NewSalt;
}

function endSubscription(tx: Transaction, key: string, said: Said): void {
  const contactId = tx.contactKeys.get(key);
  const contact = contactId === undefined ? undefined : tx.contacts.get(contactId);
  if (contact === undefined) return;
  for (const channel of CHANNELS)
    if (isAddressOf(key, channel) && isOpen(contact, channel)) end(tx, contact, channel, said);
}

function isAddressOf(key: string, channel: Channel): boolean {
  return key.startsWith(channel === "email" ? "e:" : "p:");
}

function isOpen(contact: Contact, channel: Channel): boolean {
  return contact[`${channel}Subscription`].status !== false;
}

function end(tx: Transaction, contact: Contact, channel: Channel, { at, by, newId, newSalt }: Said): void {
  const statement = { channel, subscribed: false, at, by, recordedAt: at, eventId: "", reason: "suppressed" } as const;
  state(tx, contact, { ...statement, source: "rpc", onlyUnknown: false, newSalt, newId });
}
