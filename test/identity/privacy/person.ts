import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { RemovedRecordsSchema } from "../../../src/gen/aisle/v1/erasure_pb.js";
import type { PersonSchema } from "../../../src/gen/aisle/v1/person_pb.js";
import type { openAisle } from "../../fixtures/aisle.js";
import { erased } from "../../fixtures/operations.js";

export type Aisle = Awaited<ReturnType<typeof openAisle>>;

export const MAJA = {
  c_id: "client-of-maja-17",
  fp_ccid: "fingerprint-of-maja-17",
  user_id: "user-of-maja-17",
  email: "Maja.Muster@Example.com",
  phone: "+49 151 2345678",
} as const;

/** Every text by which she could be found. */
export const NAMES_OF_MAJA = [
  MAJA.c_id,
  MAJA.fp_ccid,
  MAJA.user_id,
  "maja.muster",
  "Maja.Muster",
  "491512345678",
  "151 2345678",
  "Mustermaja",
  "key-of-maja",
  "order-of-maja",
];

export const OMAR = {
  c_id: "client-of-omar-42",
  fp_ccid: "fingerprint-of-omar-42",
  email: "omar@example.com",
} as const;

/** One of each kind of thing that is kept about a person, of two persons who bought the same. */
export async function visitShop(aisle: Aisle, app_id: string, persons: readonly ("maja" | "omar")[]): Promise<void> {
  const { trace, now } = aisle;
  const at = (minutes: number) => new Date(now() - 3600_000 + minutes * 60_000).toISOString();
  const { email, phone, ...ids } = MAJA;
  for (let visit = 0; visit < 3; visit++) {
    for (const person of persons) {
      const who = person === "maja" ? ids : { c_id: OMAR.c_id, fp_ccid: OMAR.fp_ccid };
      const view = { app_id, action_type: "product_view", product_ids: `p${visit}`, ...who, utc_time: at(visit) };
      await trace({ ...view, ...(person === "maja" && { idempotency_key: `key-of-maja-${visit}` }) });
    }
  }
  if (persons.includes("maja")) {
    await trace({
      app_id,
      action_type: "homepage_view",
      ...ids,
      note_of_shop: `came as ${MAJA.email}`,
      utc_time: at(4),
    });
    await trace({ app_id, action_type: "subscribe", ...ids, email, phone, last_name: "Mustermaja", utc_time: at(5) });
    await trace({ app_id, action_type: "other", email, subscriber_status: "0", utc_time: at(6) });
    const order = { app_id, action_type: "order", order_id: "order-of-maja", utc_time: at(7) };
    await trace({ ...order, product_ids: "p1|p2", c_id: ids.c_id });
    await trace({ ...order, sender_type: "server", product_ids: "p1|p2", email });
    await trace({ ...order, action_type: "other" }); // names the order alone
    await trace({ app_id, action_type: "product_view", ...ids, idempotency_key: "key-of-maja-refused" });
  }
  if (persons.includes("omar")) {
    await trace({ app_id, action_type: "subscribe", ...OMAR, utc_time: at(8) });
    await trace({
      app_id,
      action_type: "order",
      order_id: "order-of-omar",
      product_ids: "p1|p2",
      c_id: OMAR.c_id,
      utc_time: at(9),
    });
    await trace({ app_id, action_type: "product_view", product_ids: "p2", c_id: OMAR.c_id, utc_time: at(10) });
  }
}

/** Erases, or tries to, and answers how many of each kind it was. */
export async function erase(
  { rpc }: Aisle,
  appId: string,
  person: MessageInitShape<typeof PersonSchema>,
  dryRun = false,
): Promise<{ readonly removed: Record<string, number>; readonly contactsKept: number; readonly erasureId: string }> {
  const erasure = dryRun ? await counted(rpc, appId, person) : await erased(rpc, appId, person);
  const { $typeName: _, $unknown: _none, ...counts } = erasure.removed ?? create(RemovedRecordsSchema);
  return {
    removed: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    contactsKept: erasure.keptContactCount,
    erasureId: erasure.erasureId,
  };
}

async function counted({ privacy }: Aisle["rpc"], appId: string, person: MessageInitShape<typeof PersonSchema>) {
  const { outcome } = await privacy.eraseVisitor({ appId, person, validateOnly: true });
  if (outcome.case !== "preview") throw new Error("A dry run answers its counts");
  return outcome.value;
}
