import { describe, expect, it } from "vitest";
import { draft, intake, NO_CONTACT, NO_VISITOR, order, product } from "../intake/intake-fixture.js";

const STRANGER = { network: "203.0.113.0/24" };
const HELD = "another visitor has the user id; only the shop's own word joins the two";

const seen = (visitor: Partial<typeof NO_VISITOR>, sentBy?: { network: string }, email = "") =>
  draft("homepage_view", {
    visitor: { ...NO_VISITOR, ...visitor },
    contact: email === "" ? null : { ...NO_CONTACT, email },
    sentBy,
  });

/** A customer whom the shop has named by cookie, user id and address, and who bought something. */
async function shop() {
  const all = await intake();
  await all.record(seen({ clientId: "ann", fingerprintId: "f-ann", userId: "7" }, undefined, "ann@x.de"));
  await all.record(
    draft("order", { visitor: { ...NO_VISITOR, userId: "7" }, order: order("o1"), products: [product("p1")] }),
  );
  const subscribe = draft("subscribe", { contact: { ...NO_CONTACT, email: "ann@x.de" } });
  await all.record(subscribe);
  const linkOf = async (key: string) => {
    const [visitor] = await all.store.visitors.find("shop", [key]);
    return visitor?.contactId ? (await all.store.contacts.get("shop", visitor.contactId))?.email : undefined;
  };
  return { ...all, linkOf };
}

describe("a user id that a stranger guesses", () => {
  it("gives access neither to the customer's history, nor purchases, nor status", async () => {
    const { record, historyOf, statusOf } = await shop();
    const { notes } = await record(seen({ fingerprintId: "thief", userId: "7" }, STRANGER));
    expect(notes).toEqual([HELD]);
    expect(await historyOf("f:thief")).toEqual([]);
    expect(await statusOf("thief")).toEqual({ identified: false, email: null, sms: null });
    expect(await historyOf("c:ann")).toEqual(["order p1"]);
    expect(await statusOf("f-ann")).toMatchObject({ identified: true, email: true });
  });

  it("does not link the customer to another address by itself", async () => {
    const { record, linkOf, now } = await shop();
    now.at += 1000;
    const { notes } = await record(seen({ userId: "7" }, STRANGER, "thief@x.de"));
    expect(notes).toEqual([expect.stringContaining("alone it counts in the shop's own events")]);
    expect(await linkOf("u:7")).toBe("ann@x.de");
  });

  it.each([
    ["of a browser", { clientId: "vic", userId: "4711" }],
    ["alone", { userId: "4711" }],
  ])("links no visitor that nobody has linked, %s", async (_, ids) => {
    const { record, linkOf } = await shop();
    const visitor = { ...NO_VISITOR, ...ids };
    const sentBy = { network: "198.51.100.0/24" };
    await record(draft("order", { visitor, sentBy, order: order("o7"), products: [product("p7")] }));
    const { notes } = await record(seen({ userId: "4711" }, STRANGER, "thief@x.de"));
    expect(notes).toEqual(["a user id alone makes no link; the visitor was not linked to this address"]);
    expect(await linkOf("u:4711")).toBe(undefined);
  });

  it("makes no link for events that come later", async () => {
    const { record, linkOf } = await shop();
    await record(seen({ userId: "4712" }, STRANGER, "thief@x.de"));
    expect(await linkOf("u:4712")).toBe(undefined);
  });

  it("puts nothing into the customer's history by itself", async () => {
    const { record, historyOf } = await shop();
    const visitor = { ...NO_VISITOR, userId: "7" };
    await record(draft("order", { visitor, sentBy: STRANGER, order: order("o9"), products: [product("p9")] }));
    await record(draft("product_view", { visitor, sentBy: STRANGER, products: [product("p8")] }));
    expect(await historyOf("c:ann")).toEqual(["order p1"]);
  });

  it.each([
    ["on a device of the stranger", { clientId: "thief", userId: "8" }],
    ["alone, with the stranger's address", { userId: "8" }],
  ])("before the shop has used it, %s, reveals nothing that the shop says later", async (_, names) => {
    const { record, historyOf, linkOf, statusOf, now } = await shop();
    await record(seen(names, STRANGER, "thief@x.de"));
    now.at += 1000;
    const bought = { order: order("o2"), products: [product("p2")] };
    const contact = { ...NO_CONTACT, email: "bo@x.de" };
    await record(draft("order", { visitor: { ...NO_VISITOR, userId: "8" }, contact, ...bought }));
    now.at += 1000;
    await record(seen({ clientId: "bo", userId: "8" }));
    expect(await historyOf("c:bo")).toEqual(["order p2"]);
    expect(await linkOf("c:bo")).toBe("bo@x.de");
    expect(await historyOf("c:thief")).toEqual([]);
    expect(await linkOf("c:thief")).toBe("clientId" in names ? "thief@x.de" : undefined);
    expect(await statusOf("thief")).toMatchObject({ identified: false });
  });

  it("leaves no stranger's address on a device that the shop then names by it", async () => {
    const { record, linkOf } = await shop();
    await record(seen({ userId: "9" }, STRANGER, "thief@x.de"));
    await record(seen({ clientId: "cy", userId: "9" }));
    expect(await linkOf("c:cy")).toBeUndefined();
  });
});

describe("the shop's own user id", () => {
  it("joins the devices of a customer by user id", async () => {
    const { record, historyOf, statusOf } = await shop();
    await record(seen({ fingerprintId: "f-phone", userId: "7" }));
    expect(await historyOf("f:f-phone")).toEqual(["order p1"]);
    expect(await statusOf("f-phone")).toMatchObject({ identified: true, email: true });
  });

  it("keeps a user id on the device that a browser named, when it names the same", async () => {
    const { record, store } = await intake();
    await record(seen({ clientId: "c1", userId: "1" }, STRANGER));
    await record(seen({ clientId: "c1", userId: "1" }));
    await record(seen({ clientId: "c2", userId: "1" }));
    expect(await store.visitors.find("shop", ["c:c1", "c:c2", "u:1"])).toMatchObject([{ isUserProven: true }]);
  });
});

describe("a user id that names nobody, by the shop's own word", () => {
  it.each(["0", "guest", "NULL", "00000000-0000-0000-0000-000000000000"])("joins no two guests: %s", async (userId) => {
    const { record, linkOf, statusOf, historyOf } = await shop();
    await record(seen({ fingerprintId: "bo", userId }, undefined, "bo@x.de"));
    const { notes } = await record(seen({ fingerprintId: "cy", userId }, undefined, "cy@x.de"));
    expect(notes).toEqual([`the user id "${userId}" names nobody and counts as absent`]);
    await record(draft("order", { visitor: { ...NO_VISITOR, userId }, order: order("o9"), products: [product("p9")] }));
    expect([await linkOf("f:bo"), await linkOf("f:cy")]).toEqual(["bo@x.de", "cy@x.de"]);
    expect(await historyOf("f:bo")).toEqual([]);
    await record(draft("subscribe", { contact: { ...NO_CONTACT, email: "bo@x.de" } }));
    expect(await statusOf("cy")).toEqual({ identified: true, email: null, sms: null });
  });
});
