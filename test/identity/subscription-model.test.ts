import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createImportContacts } from "../../src/identity/import-contacts.js";
import { createVerifyLedger } from "../../src/identity/ledger/verify-ledger.js";
import { LINK_LIMITS } from "../../src/identity/links/link-limits.js";
import { createSetSubscription } from "../../src/identity/set-subscription.js";
import { createApplySubscription } from "../../src/identity/subscription-effect.js";
import { createGetStatus } from "../../src/identity/subscription-status.js";
import { createIdentify } from "../../src/identity/visitors.js";
import type { SentEvent } from "../../src/intake/normalise.js";
import { createRecordEvent, createTakeEvent } from "../../src/intake/record-event.js";
import { createSenderLimit } from "../../src/intake/sender-limit.js";
import { openEmbeddedStore } from "../../src/store/lmdb/store.js";
import type { Store } from "../../src/store/ports/store.js";
import { countingMetrics } from "../fixtures/metrics.js";
import { RUNS } from "../fixtures/runs.js";
import { testApp, testClock, testIds, testSecrets } from "../fixtures/store.js";
import { draft, NO_CONTACT, NO_VISITOR } from "../intake/intake-fixture.js";

const VISITORS = ["v1", "v2", "v3"];
const EMAILS = ["a@x.de", "b@x.de", "c@x.de"];

interface Known {
  status: boolean | null;
  at: number;
  by: string;
}

/** What ought to be known: a subscription of each address, and the address each visitor is linked to. */
class Model {
  readonly addresses = new Map<string, Known>();
  readonly links = new Map<string, { readonly email: string; readonly at: number; readonly by: string }>();
  /** Events with their keys, to send again. */
  readonly sent: { readonly event: SentEvent; readonly key: string; readonly eventId: string }[] = [];

  of(email: string): Known {
    const known = this.addresses.get(email) ?? { status: null, at: 0, by: "" };
    this.addresses.set(email, known);
    return known;
  }

  link(visitor: string, email: string, at: number, by: string): void {
    const before = this.links.get(visitor);
    this.of(email);
    if (before?.email === email || (before !== undefined && !isNewer({ at, by }, before))) return;
    this.links.set(visitor, { email, at, by });
  }

  say(email: string, status: boolean, at: number, by: string, onlyUnknown: boolean): void {
    const known = this.of(email);
    if (onlyUnknown) {
      // What a page says beside something else gives way to a statement of the same time.
      if (known.status === null) Object.assign(known, { status, at: at - 1, by });
      return;
    }
    // Doubt unsubscribes: all that is late here is late by seconds.
    if (known.status === true && !status) Object.assign(known, { status, at: Math.max(at, known.at + 1), by });
    else if (known.status === false && status ? at > known.at : isNewer({ at, by }, known))
      Object.assign(known, { status, at, by });
  }
}

function isNewer(a: Pick<Known, "at" | "by">, b: Pick<Known, "at" | "by">): boolean {
  return a.at > b.at || (a.at === b.at && a.by > b.by);
}

/** The real thing, over a directory that can be closed and opened again. */
class Shop {
  private constructor(
    readonly directory: string,
    readonly now: ReturnType<typeof testClock>,
    private readonly ids: () => string,
    public store: Store,
  ) {}

  /** The id that was given last. */
  lastId = "";

  private readonly newId = (): string => {
    this.lastId = this.ids();
    return this.lastId;
  };

  static async open(directory: string): Promise<Shop> {
    const now = testClock();
    const store = await openEmbeddedStore({ directory, now });
    await store.apps.create(testApp("shop"));
    return new Shop(directory, now, testIds(), store);
  }

  async reopen(): Promise<void> {
    await this.store.close();
    this.store = await openEmbeddedStore({ directory: this.directory, now: this.now });
  }

  record(event: SentEvent, key: string) {
    const metrics = countingMetrics();
    const take = createTakeEvent({
      identify: createIdentify({ limits: LINK_LIMITS, newSecret: testSecrets() }),
      effects: [createApplySubscription({ newSalt: testSecrets(), newId: testIds() })],
    });
    const { now, newId: newEventId, store } = this;
    const rejectedEvents = { keep: () => undefined };
    const senderLimit = createSenderLimit(now);
    const { apps, unitOfWork } = store;
    return createRecordEvent({ apps, unitOfWork, take, rejectedEvents, senderLimit, now, newEventId, metrics })(
      "shop",
      event,
      key,
      true,
    );
  }

  get callers() {
    return { unitOfWork: this.store.unitOfWork, now: this.now, newId: this.newId, newSalt: testSecrets() };
  }
}

type Command = fc.AsyncCommand<Model, Shop>;

/** Every visitor's answer is the model's. */
async function mustAgree(model: Model, { store }: Shop): Promise<void> {
  for (const fingerprintId of VISITORS) {
    const link = model.links.get(fingerprintId);
    const expected = { identified: link !== undefined, email: link === undefined ? null : model.of(link.email).status };
    expect(await createGetStatus(store)("shop", { ...NO_VISITOR, fingerprintId })).toMatchObject(expected);
  }
}

function command(text: string, run: (model: Model, shop: Shop) => Promise<void>): Command {
  return {
    check: () => true,
    run: async (model, shop) => {
      shop.now.at += 1000;
      await run(model, shop);
      await mustAgree(model, shop);
    },
    toString: () => text,
  };
}

const visitors = fc.option(fc.constantFrom(...VISITORS));
const emails = fc.option(fc.constantFrom(...EMAILS));
const states = fc.constantFrom(true, false, null);
/** Seconds before its arrival at which something happened: often the same time as something else. */
const seconds = fc.integer({ min: 0, max: 6 });

const event = fc
  .tuple(fc.constantFrom("subscribe", "homepage_view"), visitors, emails, states, seconds)
  .filter(([action, , email]) => action !== "subscribe" || email !== null)
  .map(([action, visitor, email, status, ago]) =>
    command(`${action}(${visitor}, ${email}, ${status}, ${ago} s late)`, async (model, shop) => {
      const at = shop.now.at - ago * 1000;
      const sent = draft(action, {
        visitor: { ...NO_VISITOR, fingerprintId: visitor ?? "" },
        contact: { ...NO_CONTACT, email: email ?? "", emailSubscribed: status },
        occurredAt: at,
        sentBy: { network: "203.0.113.0/24" },
      });
      const key = `key-${model.sent.length}`;
      const { eventId } = await shop.record(sent, key);
      model.sent.push({ event: sent, key, eventId });
      if (visitor !== null && email !== null) model.link(visitor, email, at, eventId);
      const about = email ?? model.links.get(visitor ?? "")?.email;
      if (about === undefined) return;
      if (action === "subscribe") model.say(about, status ?? true, at, eventId, false);
      else if (status !== null) model.say(about, status, at, eventId, true);
    }),
  );

const again = fc.nat().map((n) =>
  command(`again(${n})`, async ({ sent }, shop) => {
    const one = sent[n % Math.max(1, sent.length)];
    if (one === undefined) return;
    expect(await shop.record(one.event, one.key)).toMatchObject({ deduplicated: true, eventId: one.eventId });
  }),
);

const reopen = fc.constant(command("reopen", (_model, shop) => shop.reopen()));

const set = fc.tuple(fc.constantFrom(...EMAILS), states, visitors).map(([email, status, visitor]) =>
  command(`set(${email}, ${status}, ${visitor})`, async (model, shop) => {
    const ids = visitor === null ? null : { ...NO_VISITOR, fingerprintId: visitor };
    const order = { email, phone: "", emailSubscribed: status, smsSubscribed: null, reason: "", visitor: ids };
    const setting = createSetSubscription(shop.callers)("shop", order);
    if (status === null && visitor === null) return expect(setting).rejects.toThrow("email_state");
    await setting;
    model.of(email);
    const by = shop.lastId;
    if (status !== null) model.say(email, status, shop.now.at, by, false);
    if (visitor !== null) model.link(visitor, email, shop.now.at, by);
  }),
);

const imported = fc.tuple(fc.constantFrom(...EMAILS), fc.boolean(), seconds).map(([email, status, ago]) =>
  command(`import(${email}, ${status}, ${ago} s old)`, async (model, shop) => {
    // Half a second off, so that it is never as old as something else: what decides then is no event id.
    const at = shop.now.at - ago * 1000 - 500;
    const row = { ...NO_CONTACT, email, emailSubscribed: status, changedAt: at, reason: "", visitor: null };
    expect((await createImportContacts(shop.callers)("shop", [row])).refused).toEqual([]);
    model.say(email, status, at, "import", false);
  }),
);

describe("subscriptions and links", () => {
  it("follow the newest statement, in doubt the one that unsubscribes, whether statements come late, twice, by event, call or list, and across restarts", async () => {
    const commands = fc.commands([event, event, event, event, again, set, imported, reopen], { maxCommands: 30 });
    await fc.assert(
      fc.asyncProperty(commands, async (all) => {
        const directory = await mkdtemp(join(tmpdir(), "aisle-model-"));
        const shop = await Shop.open(directory);
        try {
          await fc.asyncModelRun(() => ({ model: new Model(), real: shop }), all);
          for await (const { newFaults } of createVerifyLedger(shop.store)("shop", undefined))
            expect(newFaults).toEqual([]);
        } finally {
          await shop.store.close();
          await rm(directory, { recursive: true, force: true });
        }
      }),
      { numRuns: RUNS.few },
    );
  });
});
