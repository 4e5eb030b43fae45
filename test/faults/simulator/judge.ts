/** What must be true of the stored records, whatever happened before. */
import { sentOrderId } from "../../../src/domain/order.js";
import { createVerifyLedger } from "../../../src/identity/ledger/verify-ledger.js";
import type { Store } from "../../../src/store/ports/store.js";
import { APP, type Told } from "./clients.js";
import type { Disk } from "./disk.js";
import type { Core } from "./server.js";

export async function judge(store: Store, disk: Disk, told: Told): Promise<void> {
  await judgeEvents(store, told);
  await judgeOrders(store, told);
  await judgeContacts(store, told);
  await judgeHistories(store, told);
  await judgeErasures(store, disk, told);
  await judgeModels(store, told);
}

/** The counters of a process agree with each other. */
export function judgeCounters({ counts }: Core, told: Told): void {
  const of = (name: string) => counts.get(name) ?? 0;
  const [acknowledged, stored, again] = [of("events_acknowledged"), of("events_stored"), of("events_deduplicated")];
  if (acknowledged > stored + again)
    told.fault(`counters: ${acknowledged} acknowledged, ${stored} stored, ${again} again`);
}

async function judgeEvents(store: Store, { sent, leaving, fault }: Told): Promise<void> {
  const stored = new Map<string, string>();
  for (const event of await store.events.list(APP, "", 10_000, false)) {
    const mark = event.extraFields.mark ?? "";
    const one = sent.get(mark);
    if (one === undefined) fault(`wrong: ${event.eventId} was never sent`);
    else if (stored.has(mark)) fault(`doubled: ${mark} is stored as ${stored.get(mark)} and as ${event.eventId}`);
    else if (one.eventId !== "" && one.eventId !== event.eventId)
      fault(`wrong: ${mark} was acknowledged as ${one.eventId} and is stored as ${event.eventId}`);
    else if (event.visitor.fingerprintId !== one.visitor || event.actionType !== one.event.actionType)
      fault(`wrong: ${mark} is not stored as it was sent`);
    stored.set(mark, event.eventId);
  }
  for (const { mark, eventId, visitor } of sent.values())
    if (eventId !== "" && !stored.has(mark) && !leaving.has(visitor))
      fault(`lost: ${mark}, acknowledged as ${eventId}`);
}

/** An order is the fold of its events. */
async function judgeOrders(store: Store, { fault }: Told): Promise<void> {
  const actions = new Map<string, Set<string>>();
  for (const { order, actionType } of await store.events.list(APP, "", 10_000, false)) {
    if (order === null) continue;
    actions.set(order.orderId, (actions.get(order.orderId) ?? new Set()).add(actionType));
  }
  const found = new Set<string>();
  for await (const orders of store.orders.scan(APP))
    for (const order of orders) {
      const id = sentOrderId(order);
      found.add(id);
      if (order.cancelled !== (actions.get(id)?.has("order_cancel") ?? false))
        fault(`fold: order ${id} is ${order.cancelled}`);
      if (order.lines.length === 0 && actions.get(id)?.has("order")) fault(`fold: order ${id} has no products`);
    }
  for (const id of actions.keys()) if (!found.has(id)) fault(`fold: order ${id} is missing`);
}

async function judgeContacts(store: Store, { registers, fault }: Told): Promise<void> {
  for await (const { newFaults } of createVerifyLedger(store)(APP, undefined))
    for (const { kind, changeId, contactId } of newFaults) fault(`ledger: ${kind} at ${changeId}${contactId}`);
  for (const contact of await store.contacts.list(APP, "", 10_000)) {
    const register = registers.get(contact.email);
    if (register === undefined) continue;
    const { status } = contact.emailSubscription;
    if (status !== register.sure && !register.maybe.some((one) => one === status))
      fault(`lost: ${contact.email} was told ${register.sure} and is ${status}`);
  }
}

/** Each view and cart addition is in one history, and nothing else but orders is. */
async function judgeHistories(store: Store, { fault }: Told): Promise<void> {
  const events = await store.events.list(APP, "", 10_000, false);
  const wanted = new Set(events.filter(({ actionType }) => /view|cart/.test(actionType)).map(({ eventId }) => eventId));
  for await (const histories of store.interactions.scan(APP))
    for (const { interactions } of histories)
      for (const { ref } of interactions)
        if (!ref.startsWith("order:") && !wanted.delete(ref))
          fault(`fold: history of ${ref} without its event, or twice`);
  for (const eventId of wanted) fault(`fold: ${eventId} is in no history`);
}

/** No table has a word of a person whose erasure has succeeded. */
async function judgeErasures(store: Store, disk: Disk, { erasures, fault }: Told): Promise<void> {
  for (const [operationId, visitor] of erasures) {
    const operation = await store.operations.get(APP, operationId);
    if (operation?.state !== "succeeded") {
      fault(`lost: the erasure of ${visitor} is ${operation?.state}`);
      continue;
    }
    const word = Buffer.from(visitor);
    const isHere = (at: number, bytes: Buffer) => !/[0-9]/.test(String.fromCharCode(bytes[at + word.length] ?? 0));
    for (const [table, rows] of disk.allTables())
      for (const [key, value] of rows.all()) {
        const bytes = Buffer.concat([Buffer.from(key), Buffer.from("\0"), value]);
        const at = bytes.indexOf(word);
        if (at >= 0 && isHere(at, bytes)) fault(`erased: ${table} still has ${visitor}`);
      }
  }
}

/** The file of each model that is listed is there, and whole. */
async function judgeModels({ models }: Store, { fault }: Told): Promise<void> {
  const serving = await models.pointer(APP);
  const ids = new Set((await models.list(APP)).map(({ modelId }) => modelId));
  if (serving !== undefined) ids.add(serving.modelId);
  for (const modelId of ids)
    if ((await models.read(APP, modelId).catch(String))?.toString() !== "model")
      fault(`lost: the file of model ${modelId}`);
}
