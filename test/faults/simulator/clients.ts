/** What callers do and what they were told. The network delays, loses requests and answers, and is cut at times. */

import { DomainError, Unavailable } from "../../../src/domain/errors.js";
import type { EventContact } from "../../../src/domain/event.js";
import { NO_MONEY } from "../../../src/domain/money.js";
import type { SentEvent } from "../../../src/intake/normalise.js";
import type { Core, Server } from "./server.js";
import type { Owner, World } from "./world.js";

export const APP = "shop";

/** An event that was sent, and what its caller knows. */
export interface Sent {
  readonly mark: string;
  readonly event: SentEvent;
  readonly key: string;
  readonly visitor: string;
  /** Its id, once acknowledged. */
  eventId: string;
}

/** A value that one caller writes: what it was told last, and what may be since. */
export interface Register {
  sure: boolean | null;
  maybe: boolean[];
}

export interface Told {
  readonly sent: Map<string, Sent>;
  readonly registers: Map<string, Register>;
  /** Visitors whose erasure has begun or may have. */
  readonly leaving: Set<string>;
  /** Visitors by the ids of their erasures. */
  readonly erasures: Map<string, string>;
  acknowledged: number;
  fault(what: string): void;
}

/** No answer came, or one that leaves open what was done. */
const NONE = Symbol("none");
type Answer<T> = T | typeof NONE | DomainError;

const TIMEOUT_MS = 8000;
const NOBODY = { clientId: "", fingerprintId: "", userId: "" };

export interface Network {
  lossShare: number;
}

export class Client {
  private count = 0;
  private readonly seen = new Set<string>();
  /** Requests that a server has, or will have. */
  private readonly underWay = new Set<{ owner: Owner | undefined }>();

  constructor(
    private readonly name: string,
    private readonly world: World,
    private readonly servers: readonly Server[],
    private readonly network: Network,
    private readonly told: Told,
  ) {}

  /** Does one thing after the other until the world's time is up. */
  async run(until: number): Promise<void> {
    const { world } = this;
    const works = [this.view, this.view, this.batch, this.order, this.subscribe, this.status, this.list, this.erase];
    while (world.now < until) {
      await world.pause(world.between(0, 1500));
      await world.oneOf(works).call(this);
    }
  }

  private async view(): Promise<void> {
    await this.record(this.sentEvent(this.world.oneOf(["product_view", "add_to_cart"]), this.visitor()));
  }

  private async batch(): Promise<void> {
    const all = Array.from({ length: 1 + this.world.below(6) }, () => this.sentEvent("product_view", this.visitor()));
    for (let tries = 0; tries < 6; tries++) {
      const answer = await this.call((core) =>
        core.recordEvents(APP, all.length, (n) => ({ event: all[n]!.event, idempotencyKey: all[n]!.key })),
      );
      if (!isAnswer(answer)) {
        if (!isOpen(answer) || all.some(({ key }) => key === "")) return;
        continue;
      }
      for (const [n, one] of answer.entries()) {
        if (one.status === "fulfilled") this.acknowledge(all[n]!, one.value.eventId);
      }
      if (answer.every(({ status }) => status === "fulfilled") || all.some(({ key }) => key === "")) return;
    }
  }

  /** An order, maybe told twice, maybe cancelled. */
  private async order(): Promise<void> {
    const visitor = this.visitor();
    const orderId = `o${this.next()}`;
    for (const action of ["order", "order", "order_cancel"].slice(0, 1 + this.world.below(3))) {
      const order = { orderId, status: "", payment: NO_MONEY, basePayment: NO_MONEY, coupon: "" };
      await this.record(this.sentEvent(action, visitor, { order }, true));
    }
  }

  private async subscribe(): Promise<void> {
    const visitor = this.visitor();
    const email = `${visitor}@example.com`;
    const register = this.register(email);
    const wanted = register.sure !== true;
    register.maybe.push(wanted);
    const order = { email, phone: "", emailSubscribed: wanted, smsSubscribed: null, reason: "" };
    const answer = this.world.chance(0.5)
      ? await this.call((core) => core.setSubscription(APP, { ...order, visitor: ids(visitor) }))
      : await this.record(this.sentEvent("subscribe", visitor, { contact: contactOf(email, wanted) }, true));
    if (isOpen(answer)) return;
    register.maybe.splice(register.maybe.indexOf(wanted), 1);
    if (isAnswer(answer)) register.sure = wanted;
  }

  private async status(): Promise<void> {
    const visitor = this.visitor();
    const { sure, maybe } = this.register(`${visitor}@example.com`);
    const answer = await this.call((core) => core.getStatus(APP, ids(visitor)));
    if (!isAnswer(answer) || sure === null) return;
    const { email } = answer;
    if (email !== sure && !maybe.some((one) => one === email))
      this.told.fault(`stale: ${visitor} is read as ${email}, was told ${sure}`);
  }

  /** All that anybody was told before is there, and all that was read before. */
  private async list(): Promise<void> {
    const { sent, leaving } = this.told;
    const known = [...sent.values()]
      .filter(({ eventId }) => eventId !== "")
      .map(({ mark, eventId }) => ({ mark, eventId }));
    const answer = await this.call((core) => core.store.events.list(APP, "", 1000, false));
    if (!isAnswer(answer)) return;
    const found = new Set(answer.map(({ eventId }) => eventId));
    const stays = (mark: string) => !leaving.has(sent.get(mark)?.visitor ?? "");
    for (const { mark, eventId } of known)
      if (!found.has(eventId) && stays(mark))
        this.told.fault(`stale: ${mark} was acknowledged before and is not listed`);
    for (const { eventId, extraFields } of answer) if (stays(extraFields.mark ?? "")) this.seen.add(eventId);
    for (const eventId of this.seen)
      if (!found.has(eventId) && ![...sent.values()].some((one) => one.eventId === eventId && !stays(one.mark)))
        this.told.fault(`not monotonic: ${eventId} was listed before`);
  }

  /** Somebody comes, orders, and has all of it erased once nothing of it is under way. */
  private async erase(): Promise<void> {
    const visitor = `gone-${this.next()}`;
    const order = { orderId: `o-${visitor}`, status: "", payment: NO_MONEY, basePayment: NO_MONEY, coupon: "" };
    const contact = contactOf(`${visitor}@example.com`, true);
    const all = [
      this.sentEvent("product_view", visitor, {}, true),
      this.sentEvent("subscribe", visitor, { contact }, true),
      this.sentEvent("order", visitor, { order }, true),
    ];
    for (const one of all) if (!isAnswer(await this.record(one))) return;
    // A copy that a server takes afterwards would be a new event.
    while ([...this.underWay].some(({ owner }) => !owner?.isDead)) await this.world.pause(500);
    await this.world.pause(30_000); // for works whose callers were told that they are late
    this.told.leaving.add(visitor);
    const names = { visitor: ids(visitor), email: "", phone: "", contactId: "", withLinkedContact: true };
    const answer = await this.call((core) => core.erasures.begin(APP, names));
    if (isAnswer(answer)) this.told.erasures.set(answer.operationId, visitor);
  }

  private register(name: string): Register {
    const { registers } = this.told;
    const register = registers.get(name) ?? { sure: null, maybe: [] };
    registers.set(name, register);
    return register;
  }

  private next(): string {
    return `${this.name}-${++this.count}`;
  }

  private visitor(): string {
    return `${this.name}-v${this.world.below(3)}`;
  }

  private sentEvent(
    actionType: string,
    visitor: string,
    more: Partial<SentEvent> = {},
    keyed = this.world.chance(0.6),
  ): Sent {
    const mark = `m${this.next()}`;
    const product = `p${this.world.below(9)}`;
    const event = { ...BARE_EVENT, actionType, visitor: ids(visitor), extraFields: { mark }, ...more };
    const products = actionType === "subscribe" ? [] : [{ ...BARE_PRODUCT, productId: product }];
    const sent = { mark, event: { ...event, products }, key: keyed ? `${visitor} ${mark}` : "", visitor, eventId: "" };
    this.told.sent.set(mark, sent);
    return sent;
  }

  /** Sends an event, one with a key again and again until there is an answer. */
  private async record(sent: Sent): Promise<Answer<unknown>> {
    for (let tries = 1; ; tries++) {
      const answer = await this.call((core) => core.recordEvent(APP, sent.event, sent.key, true));
      if (isAnswer(answer)) this.acknowledge(sent, answer.eventId);
      if (isAnswer(answer) || !isOpen(answer) || sent.key === "" || tries === 8) return answer;
      await this.world.pause(this.world.between(10, 3000));
    }
  }

  private acknowledge(sent: Sent, eventId: string): void {
    this.told.acknowledged++;
    if (sent.eventId !== "" && sent.eventId !== eventId)
      this.told.fault(`doubled: ${sent.mark} was acknowledged as ${sent.eventId} and as ${eventId}`);
    sent.eventId = eventId;
  }

  /** A request on its way to a server, and its answer on the way back. */
  private call<T>(ask: (core: Core) => Promise<T>): Promise<Answer<T>> {
    const { world, network } = this;
    const server = world.oneOf(this.servers);
    const isLost = () => world.chance(network.lossShare);
    const request: { owner: Owner | undefined } = { owner: undefined };
    this.underWay.add(request);
    return new Promise((resolve) => {
      world.after(TIMEOUT_MS, () => resolve(NONE));
      const answer = (found: Answer<T>) => {
        this.underWay.delete(request);
        if (isLost()) this.underWay.delete(request);
        else world.after(world.between(0.1, 30), () => resolve(found));
      };
      const arrive = () => {
        const { core, owner } = server;
        if (core === undefined || owner.isDead) return answer(NONE);
        request.owner = owner;
        const serve = () =>
          void ask(core).then(answer, (error: unknown) => {
            if (!(error instanceof DomainError)) this.told.fault(`failed: ${String(error)}`);
            answer(error instanceof DomainError ? error : NONE);
          });
        world.after(0, serve, owner);
      };
      if (isLost()) this.underWay.delete(request);
      else world.after(world.between(0.1, world.chance(0.05) ? 2000 : 30), arrive);
    });
  }
}

function isAnswer<T>(answer: Answer<T>): answer is T {
  return answer !== NONE && !(answer instanceof DomainError);
}

function isOpen(answer: unknown): boolean {
  return answer === NONE || answer instanceof Unavailable;
}

function ids(fingerprintId: string) {
  return { ...NOBODY, fingerprintId };
}

function contactOf(email: string, emailSubscribed: boolean): EventContact {
  const profile = {
    phone: "",
    firstName: "",
    lastName: "",
    country: "",
    city: "",
    gender: "",
    birthDate: "",
    tags: [],
  };
  return { email, ...profile, emailSubscribed, smsSubscribed: null };
}

const BARE_EVENT: SentEvent = {
  actionType: "",
  sender: "browser",
  bot: false,
  eventId: "",
  receivedAt: 0,
  occurredAt: 0,
  notes: [],
  visitor: NOBODY,
  contact: null,
  products: [],
  categories: [],
  order: null,
  searchQuery: "",
  platform: "",
  platformVersion: "",
  senderVersion: "",
  extraFields: {},
  recommendationIds: [],
  isShops: false,
};

const BARE_PRODUCT = {
  productId: "",
  sku: "",
  variantId: "",
  title: "",
  imageUrl: "",
  url: "",
  quantity: 1,
  available: null,
  categories: [],
  brandId: "",
  brandName: "",
  price: NO_MONEY,
};
