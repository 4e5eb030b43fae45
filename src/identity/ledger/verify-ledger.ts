/**
 * Verifies an app's ledger: every entry against its hash, each hash against the one before, the last against the head,
 * and every contact's subscriptions against its entries. Entries from before the chain have no hash and are only
 * counted.
 *
 * Whoever can write to the store can rebuild a whole chain. An anchor detects that: the id and hash of an entry, noted
 * elsewhere at an earlier verification.
 */
import type { Channel, Contact, Subscription, SubscriptionChange } from "../../domain/contact.js";
import { NotFound } from "../../domain/errors.js";
import {
  changeIdOf,
  commitmentOf,
  emptyLedger,
  hashOf,
  isErased,
  type LedgerHead,
  numberOf,
} from "../../domain/ledger.js";
import type { AppStore } from "../../store/ports/app-store.js";
import type { ContactStore } from "../../store/ports/contact-store.js";
import type { Copies } from "../../store/ports/copies.js";
import { foldChanges } from "./ledger.js";

/**
 * `missing`: there is no entry of this number
 * `changed`: what it says is not what was sealed, or its seal is gone
 * `person`: whom it concerns, which event said it or why is not what was sealed, or was erased in part
 * `link`: it was not sealed behind the entry before it
 * `head`: the last entry is not the one the chain ended with
 * `anchor`: the entry of the anchor has another hash, or is not there
 * `contact`: a contact's subscription is not the fold of its entries
 */
export type LedgerFaultKind = "missing" | "changed" | "person" | "link" | "head" | "anchor" | "contact";

/** The place of a fault: an entry, or for kind `contact` a contact and its channel. */
export interface LedgerFault {
  readonly kind: LedgerFaultKind;
  readonly changeId: string;
  readonly contactId: string;
  readonly channel: Channel | undefined;
}

/** Progress of a verification. */
export interface LedgerReport {
  /** Entries of the chain read so far. */
  readonly entries: number;
  /** Of these, entries whose person was erased. */
  readonly erased: number;
  /** Entries from before the chain. */
  readonly unchained: number;
  readonly contacts: number;
  readonly faultCount: number;
  /** Faults since the last report; at most MAX_FAULTS in all. */
  readonly newFaults: readonly LedgerFault[];
  /** Head of the chain when the verification began. */
  readonly head: LedgerHead;
  readonly isDone: boolean;
}

/** Id and hash of an entry as noted earlier. */
export interface Anchor {
  readonly changeId: string;
  readonly hash: string;
}

const MAX_FAULTS = 1000;
const ENTRIES_AT_ONCE = 1000;
const CONTACTS_AT_ONCE = 500;
const QUESTIONS_AT_ONCE = 16;

/** Rejects with NotFound("app"). Entries appended meanwhile are left to the next verification. */
export type VerifyLedger = (appId: string, anchor: Anchor | undefined) => AsyncGenerator<LedgerReport, void, undefined>;

export interface VerifyLedgerDependencies {
  readonly apps: Pick<AppStore, "get">;
  readonly contacts: ContactStore;
  readonly copies: Pick<Copies, "scan">;
}

export function createVerifyLedger({ apps, contacts, copies }: VerifyLedgerDependencies): VerifyLedger {
  return async function* verify(appId, anchor) {
    if ((await apps.get(appId)) === undefined) throw new NotFound("app");
    const head = (await copies.scan(appId, "ledgerHeads", "", 1))[0]?.value ?? emptyLedger(appId);
    const faults = new Faults();
    const chain = new ChainWalk(appId, head, anchor, faults);
    let contactsMet = 0;
    const report = (isDone: boolean): LedgerReport => ({
      entries: chain.entries,
      erased: chain.erased,
      unchained: chain.unchained,
      contacts: contactsMet,
      faultCount: faults.count,
      newFaults: faults.take(),
      head,
      isDone,
    });

    for (let after = ""; ; ) {
      const entries = await contacts.changes(appId, "", after, ENTRIES_AT_ONCE);
      for (const entry of entries) chain.meet(entry);
      after = entries.at(-1)?.changeId ?? "";
      if (entries.length < ENTRIES_AT_ONCE || chain.isAtHead) break;
      yield report(false);
    }
    chain.end();
    for (let after = ""; ; ) {
      const rows = await copies.scan(appId, "contacts", after, CONTACTS_AT_ONCE);
      for (let n = 0; n < rows.length; n += QUESTIONS_AT_ONCE) {
        const some = rows.slice(n, n + QUESTIONS_AT_ONCE);
        const wrong = await Promise.all(some.map(({ value }) => wrongChannels(contacts, appId, value)));
        for (const [at, channels] of wrong.entries())
          for (const channel of channels) faults.add("contact", "", some[at]!.value.contactId, channel);
      }
      contactsMet += rows.length;
      if (rows.length < CONTACTS_AT_ONCE) break;
      after = rows.at(-1)!.key;
      yield report(false);
    }
    yield report(true);
  };
}

class Faults {
  count = 0;
  private listed = 0;
  private found: LedgerFault[] = [];

  add(kind: LedgerFaultKind, changeId: string, contactId = "", channel?: Channel): void {
    this.count++;
    if (this.listed === MAX_FAULTS) return;
    this.listed++;
    this.found.push({ kind, changeId, contactId, channel });
  }

  take(): readonly LedgerFault[] {
    const { found } = this;
    this.found = [];
    return found;
  }
}

/** Receives the entries of an app in order of their ids. */
class ChainWalk {
  entries = 0;
  erased = 0;
  unchained = 0;
  private number = 0;
  /** Hash of the entry before; undefined when that one is missing. */
  private previous: string | undefined;
  private isAnchored = false;

  constructor(
    appId: string,
    private readonly head: LedgerHead,
    private readonly anchor: Anchor | undefined,
    private readonly faults: Faults,
  ) {
    this.previous = emptyLedger(appId).hash;
  }

  get isAtHead(): boolean {
    return this.number >= this.head.count;
  }

  meet(entry: SubscriptionChange): void {
    const number = numberOf(entry.changeId);
    if (number === undefined) {
      this.unchained++;
      return;
    }
    if (number > this.head.count) return;
    this.skipTo(number);
    this.entries++;
    if (isErased(entry)) this.erased++;
    this.check(entry);
    this.previous = entry.seal?.hash;
    this.number = number;
  }

  end(): void {
    const hasLast = this.number === this.head.count;
    this.skipTo(this.head.count + 1);
    if (hasLast && this.previous !== this.head.hash) this.faults.add("head", changeIdOf(this.head.count));
    if (this.anchor !== undefined && !this.isAnchored) this.faults.add("anchor", this.anchor.changeId);
  }

  private skipTo(number: number): void {
    if (number > this.number + 1) this.previous = undefined;
    while (this.number + 1 < number) this.faults.add("missing", changeIdOf(++this.number));
  }

  private check(entry: SubscriptionChange): void {
    const { changeId, seal } = entry;
    if (seal === null) {
      this.faults.add("changed", changeId);
      return;
    }
    if (this.previous !== undefined && seal.previous !== this.previous) this.faults.add("link", changeId);
    if (hashOf(entry, seal.commitment, seal.previous) !== seal.hash) this.faults.add("changed", changeId);
    const hasPerson = isErased(entry)
      ? entry.evidence !== null || [seal.salt, entry.by, entry.eventId, entry.reason].some((text) => text !== "")
      : commitmentOf(entry, seal.salt) !== seal.commitment;
    if (hasPerson) this.faults.add("person", changeId);
    if (changeId !== this.anchor?.changeId) return;
    this.isAnchored = true;
    if (seal.hash !== this.anchor.hash) this.faults.add("anchor", changeId);
  }
}

/** Read a second time where it looks wrong, since others write meanwhile. */
async function wrongChannels(contacts: ContactStore, appId: string, contact: Contact): Promise<readonly Channel[]> {
  const wrong = notFolded(contact, await entriesOf(contacts, appId, contact.contactId));
  if (wrong.length === 0) return wrong;
  const entries = await entriesOf(contacts, appId, contact.contactId);
  const again = await contacts.get(appId, contact.contactId);
  return again === undefined ? [] : notFolded(again, entries);
}

async function entriesOf(contacts: ContactStore, appId: string, contactId: string): Promise<SubscriptionChange[]> {
  const all: SubscriptionChange[] = [];
  for (;;) {
    const some = await contacts.changes(appId, contactId, all.at(-1)?.changeId ?? "", ENTRIES_AT_ONCE);
    all.push(...some);
    if (some.length < ENTRIES_AT_ONCE) return all;
  }
}

function notFolded(contact: Contact, entries: readonly SubscriptionChange[]): Channel[] {
  const folded = foldChanges(entries);
  const wrong: Channel[] = [];
  if (!isFold(contact.emailSubscription, folded.email)) wrong.push("email");
  if (!isFold(contact.smsSubscription, folded.sms)) wrong.push("sms");
  return wrong;
}

/** Entries from before the chain are incomplete: they lack the sender and repeated statements. */
function isFold(kept: Subscription, folded: Subscription): boolean {
  if (kept.status !== folded.status) return false;
  return folded.changedBy === "" || (kept.changedAt === folded.changedAt && kept.changedBy === folded.changedBy);
}
