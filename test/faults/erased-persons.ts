import type { MessageInitShape } from "@bufbuild/protobuf";
import type { PersonSchema } from "../../src/gen/aisle/v1/person_pb.js";
import type { Clients } from "./event-load.js";

export type Form = Readonly<Record<string, string>>;

/**
 * Posts an event of the app `shop`, from a network of the person's own: one network may link few addresses a day.
 *
 * @returns the status; 0 without an answer
 */
export async function post(facadeUrl: string, person: MarkedPerson, form: Form): Promise<number> {
  const { idempotency_key: key = "", ...fields } = form;
  const body = new URLSearchParams({ app_id: "shop", ...fields });
  const from = `20.${person.n >> 8}.${person.n & 255}.7`;
  const headers = { connection: "close", "x-forwarded-for": from, ...(key !== "" && { "idempotency-key": key }) };
  try {
    const answer = await fetch(`${facadeUrl}/trace`, { method: "POST", headers, body });
    await answer.arrayBuffer().catch(() => undefined); // the head has said it all
    return answer.status;
  } catch {
    return 0; // the server was killed
  }
}

/** How a person is named to be erased. */
export const NAMED_BY = ["email", "phone", "contactId", "clientId", "fingerprintId", "userId"] as const;

/** A person who writes a mark of its own into every text that a sender may choose. */
export class MarkedPerson {
  readonly phone: string;
  private readonly names: string;

  constructor(readonly n: number) {
    this.phone = `+49151${String(5_550_000 + n)}`;
    this.names = `m${n}x`;
  }

  mark(field: string): string {
    return `${this.names}${field}q`;
  }

  /** The marks that stand in a text. */
  marksIn(text: string): string[] {
    const found = text.match(new RegExp(`${this.names}[a-z]+q`, "gi")) ?? [];
    return [...new Set([...found, ...(text.includes(this.phone.slice(1)) ? [this.phone] : [])])];
  }

  get email(): string {
    return `${this.mark("mail")}@shop.example`;
  }

  /** Its ids and addresses, one form for each way in which an event may name it. */
  get ids(): readonly Form[] {
    const { email, phone } = this;
    const c_id = this.mark("client");
    const fp_ccid = this.mark("finger");
    const tablet = this.mark("tablet");
    return [
      { c_id },
      { fp_ccid },
      { user_id: this.mark("user") },
      { email },
      { phone },
      { c_id: tablet },
      { c_id, email },
      { fpccid: fp_ccid, phone },
      { c_id: tablet, fp_ccid: this.mark("pane") },
    ];
  }

  /** One event of each kind. Marks of `ids` alone are in later events, too. */
  get visits(): readonly Form[] {
    const m = (field: string) => this.mark(field);
    const [client = {}, finger = {}, user = {}, mail = {}, phone = {}, tablet = {}] = this.ids;
    const order = { action_type: "order", product_ids: "p1|p2" };
    const told = {
      first_name: m("first"),
      last_name: m("last"),
      country: m("country"),
      city: m("city"),
      customer_tags: m("tags"),
      platform: m("platform"),
      platform_version: m("build"),
      version: m("sender"),
      page_url: `https://shop.example/p?visitor=${m("page")}`,
      [m("fieldname")]: m("fieldvalue"),
    };
    const view = { action_type: "product_view", product_ids: "p1" };
    const years = new Date(Date.now() - 5 * 365 * 86_400_000).toISOString();
    const ahead = new Date(Date.now() + 240_000).toISOString();
    return [
      { ...view, ...client, ...finger, ...user, ...mail, ...phone, ...told, idempotency_key: m("key") },
      { action_type: "subscribe", ...client, ...mail, ...phone, note: m("subscribed") },
      { action_type: "search_query", ...client, search_query: m("search") },
      { ...order, ...client, order_id: m("order"), coupon: m("coupon"), order_status: m("status") },
      { ...order, ...mail, sender_type: "server", order_id: m("mailorder"), coupon: m("voucher") },
      { action_type: "other", ...mail, ...tablet, fp_ccid: m("pane"), note: m("linked") },
      { ...view, ...tablet, page_url: `https://shop.example/${m("tabletpage")}` },
      { action_type: "product_view", ...client, page_url: m("refusedpage"), idempotency_key: m("refusedkey") },
      { action_type: "other", ...user, note: m("ofuser") },
      { action_type: "other", ...phone, note: m("ofphone") },
      { action_type: "homepage_view", ...mail, note: m("ofmail") },
      { action_type: "other", order_id: m("order"), note: m("oforder") },
      { action_type: "order_cancel", ...client, order_id: m("mailorder"), note: m("cancelled") },
      { action_type: "other", page_url: `https://a.example/?m=${encodeURIComponent(this.email)}`, note: m("inpage") },
      { ...view, ...finger, utc_time: years, note: m("yearsback") },
      { ...view, ...finger, utc_time: ahead, note: m("ahead") },
      { action_type: "add_to_cart", product_ids: "p2", ...finger, note: m("cart"), idempotency_key: m("cartkey") },
      { action_type: "order_cancel", ...client, order_id: m("unknownorder"), note: m("neverordered") },
      { action_type: m("action"), ...client, note: m("ownaction") },
    ];
  }

  /** Marks that later events of the person have as well. */
  get lasting(): readonly string[] {
    return [...["client", "finger", "user", "mail", "tablet", "pane"].map((field) => this.mark(field)), this.phone];
  }

  /** The person as it is named to be erased or exported. */
  async named(
    by: (typeof NAMED_BY)[number],
    { subscriptions }: Clients,
  ): Promise<MessageInitShape<typeof PersonSchema>> {
    const linked = { includeLinkedContact: true };
    switch (by) {
      case "email":
        return { email: this.email };
      case "phone":
        return { phone: this.phone };
      case "contactId": {
        const contact = { case: "email", value: this.email } as const;
        const found = await subscriptions.getContact({ appId: "shop", contact });
        return { contactId: found.contact?.contactId ?? "" };
      }
      case "clientId":
        return { visitor: { clientId: this.mark("tablet") }, ...linked };
      case "fingerprintId":
        return { visitor: { fingerprintId: this.mark("finger") }, ...linked };
      case "userId":
        return { visitor: { userId: this.mark("user") }, ...linked };
    }
  }
}

const asText = (value: unknown) =>
  JSON.stringify(value, (_name, part: unknown) =>
    typeof part === "bigint" ? String(part) : part instanceof Uint8Array ? Buffer.from(part).toString("latin1") : part,
  );

/** All that is answered about a person, as text. */
export async function exportOf({ privacy }: Clients, person: MarkedPerson): Promise<string> {
  const { email, phone } = person;
  const visitor = {
    clientId: person.mark("client"),
    fingerprintId: person.mark("finger"),
    userId: person.mark("user"),
  };
  const items: string[] = [];
  for await (const { item } of privacy.exportVisitor({ appId: "shop", person: { email, phone, visitor } }))
    items.push(asText(item));
  return items.join("\n");
}

/** All that the lists of a server answer, as text. */
export async function everythingListed(clients: Clients): Promise<string> {
  const { apps, catalog, events, hooks, operations, privacy, subscriptions } = clients;
  const texts: string[] = [];
  const take = async (list: (page: { appId: string; pageToken: string }) => Promise<{ nextPageToken: string }>) => {
    for (let pageToken = ""; ; ) {
      const page = await list({ appId: "shop", pageToken });
      texts.push(asText(page));
      pageToken = page.nextPageToken;
      if (pageToken === "") return;
    }
  };
  for await (const records of apps.exportApp({ appId: "shop" })) texts.push(asText(records));
  await take(events.listEvents);
  await take(events.listRejectedEvents);
  await take(subscriptions.listContacts);
  await take(subscriptions.listChanges);
  await take(subscriptions.listSuppressions);
  await take(catalog.listUnknownProducts);
  await take(catalog.listProducts);
  await take(hooks.listFailedMessages);
  await take(operations.listOperations);
  await take(privacy.listErasures);
  return texts.join("\n");
}
