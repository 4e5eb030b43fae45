import { describe, expect, it } from "vitest";
import { LINK_LIMITS } from "../../../src/identity/links/link-limits.js";
import { putApp } from "../../fixtures/put-records.js";
import { draft, intake, NO_CONTACT, NO_VISITOR } from "../../intake/intake-fixture.js";

const DAY_MS = 86_400_000;
const HOME = "203.0.113.0/24";

/** An event that anybody posted from a network. */
const posted = (clientId: string, email: string, network = HOME) =>
  draft("homepage_view", {
    visitor: { ...NO_VISITOR, clientId },
    contact: { ...NO_CONTACT, email },
    sentBy: { network },
  });

const TOO_MANY = (who: string) =>
  `the ${who} was linked to too many addresses today; the visitor was not linked to this one`;

async function shop(limits = LINK_LIMITS) {
  const all = await intake(undefined, limits);
  const linkOf = async (key: string) => {
    const [visitor] = await all.store.visitors.find("shop", [key]);
    return visitor?.contactId ? (await all.store.contacts.get("shop", visitor.contactId))?.email : undefined;
  };
  return { ...all, linkOf };
}

describe("a visitor's links to contacts", () => {
  it("are limited to 3 addresses a day; further ones are stored without a link", async () => {
    const { record, linkOf, store, metrics, now } = await shop();
    for (const name of ["a", "b", "c"]) await record(posted("c1", `${name}@x.de`));
    const { notes, eventId } = await record(posted("c1", "d@x.de"));
    expect(notes).toEqual([TOO_MANY("visitor")]);
    expect(await linkOf("c:c1")).toBe("c@x.de");
    expect((await store.events.get("shop", eventId))?.notes).toEqual(notes);
    expect(await store.contacts.find("shop", "e:d@x.de")).toBeDefined();
    expect(metrics.counts.get("links_refused")).toBe(1);
    now.at += DAY_MS;
    await record(posted("c1", "d@x.de"));
    expect(await linkOf("c:c1")).toBe("d@x.de");
  });

  it("may change between those addresses", async () => {
    const { record, linkOf } = await shop();
    for (const name of ["a", "b", "a", "c", "b", "a"]) {
      expect((await record(posted("c1", `${name}@x.de`))).notes).toEqual([]);
      expect(await linkOf("c:c1")).toBe(`${name}@x.de`);
    }
  });

  it("count for both visitors after they are joined", async () => {
    const { record, linkOf } = await shop();
    await record(posted("c1", "a@x.de"));
    await record(posted("c1", "b@x.de"));
    const other = posted("", "c@x.de");
    await record({ ...other, visitor: { ...NO_VISITOR, fingerprintId: "f1" } });
    const joined = { ...posted("c1", "d@x.de"), visitor: { ...NO_VISITOR, clientId: "c1", fingerprintId: "f1" } };
    expect((await record(joined)).notes).toEqual([TOO_MANY("visitor")]);
    expect(await linkOf("c:c1")).toBe("c@x.de");
  });

  it("have no limit for the shop's own systems", async () => {
    const { record, linkOf } = await shop();
    for (let n = 0; n < 10; n++) await record({ ...posted("c1", `a${n}@x.de`), sentBy: undefined });
    expect(await linkOf("c:c1")).toBe("a9@x.de");
  });
});

describe("the link limit of a network", () => {
  it("is 20 addresses a day, whatever visitors they come with", async () => {
    const { record, linkOf, metrics, now } = await shop();
    for (let n = 0; n < LINK_LIMITS.perNetwork; n++)
      expect((await record(posted(`c${n}`, `a${n}@x.de`))).notes).toEqual([]);
    expect((await record(posted("c20", "a20@x.de"))).notes).toEqual([TOO_MANY("network")]);
    expect(await linkOf("c:c20")).toBeUndefined();
    expect(metrics.counts.get("links_refused")).toBe(1);
    expect((await record(posted("c20", "a5@x.de"))).notes).toEqual([]); // one that is counted already
    expect((await record(posted("c21", "a21@x.de", "198.51.100.0/24"))).notes).toEqual([]);
    expect((await record(posted("c22", "a22@x.de", ""))).notes).toEqual([]); // not known where from: a replay
    now.at += DAY_MS;
    expect((await record(posted("c20", "a20@x.de"))).notes).toEqual([]);
  });

  it("counts each app separately", async () => {
    const { record } = await shop();
    for (let n = 0; n < 20; n++) await record(posted(`c${n}`, `a${n}@x.de`));
    expect((await record(posted("c20", "a20@x.de"), "", "other")).notes).toEqual([]);
  });

  it("is stored under a key that does not reveal the network", async () => {
    const { record, store } = await shop();
    await record(posted("c1", "a@x.de"));
    const kept = await store.unitOfWork.run("shop", (tx) => {
      const all = [];
      for (let slot = 0; slot < 4096; slot++) all.push(tx.networkLinks.get(String(slot)));
      return JSON.stringify(all.filter((one) => one !== undefined));
    });
    expect(kept).toContain('"addresses":["');
    expect(kept).not.toMatch(/203\.0|contact:/);
  });
});

describe("the link limit of an app", () => {
  it("is an hour's, of addresses that the app knew before, whatever network they come from", async () => {
    const { record, linkOf, metrics, now } = await shop({ ...LINK_LIMITS, perApp: 5 });
    const from = (n: number) => `2001:db8:${n}::/48`;
    for (let n = 0; n < 10; n++) await record(posted("", `a${n}@x.de`, from(n)));
    for (let n = 0; n < 20; n++) expect((await record(posted(`new${n}`, `new${n}@x.de`, from(n)))).notes).toEqual([]);
    for (let n = 0; n < 5; n++) expect((await record(posted(`c${n}`, `a${n}@x.de`, from(n)))).notes).toEqual([]);
    const tooMany = "the app was linked to too many addresses this hour; the visitor was not linked to this one";
    expect((await record(posted("c5", "a5@x.de", from(5)))).notes).toEqual([tooMany]);
    expect(await linkOf("c:c5")).toBeUndefined();
    expect(metrics.counts.get("links_refused")).toBe(1);
    expect((await record({ ...posted("c6", "a6@x.de"), sentBy: undefined })).notes).toEqual([]);
    now.at += 3_600_000;
    expect((await record(posted("c5", "a5@x.de", from(5)))).notes).toEqual([]);
  });
});

describe("an app with strict link trust", () => {
  async function strict() {
    const all = await shop();
    const app = await all.store.apps.get("shop");
    if (app === undefined) throw new Error("the fixture has a shop");
    await putApp(all.store, { ...app, linkTrust: "strict" });
    const subscribe = (email: string, more = {}) =>
      draft("subscribe", { contact: { ...NO_CONTACT, email }, sentBy: { network: "" }, ...more });
    const thief = { visitor: { ...NO_VISITOR, fingerprintId: "thief" } };
    return { ...all, subscribe, thief };
  }

  it("shows over an unproven link only what was stated since", async () => {
    const { record, statusOf, subscribe, thief, now } = await strict();
    await record(subscribe("ann@x.de"));
    now.at += 1000;
    await record({ ...posted("", "ann@x.de"), ...thief });
    expect(await statusOf("thief")).toEqual({ identified: true, email: null, sms: null });
    now.at += 1000;
    await record(subscribe("ann@x.de"));
    expect(await statusOf("thief")).toMatchObject({ identified: true, email: true });
  });

  it("uses the time a link was received, not the time it states", async () => {
    const { record, statusOf, subscribe, thief, now } = await strict();
    await record(subscribe("ann@x.de"));
    now.at += 1000;
    await record({ ...posted("", "ann@x.de"), ...thief, occurredAt: now.at - 3_600_000 });
    expect(await statusOf("thief")).toMatchObject({ identified: true, email: null });
  });

  it("shows everything over a link that the shop has proven, and after the visitor's own statement", async () => {
    const { record, statusOf, subscribe, thief, now } = await strict();
    await record(subscribe("ann@x.de"));
    now.at += 1000;
    const linked = { ...posted("", "ann@x.de"), ...thief };
    await record(linked);
    expect((await record(subscribe("ann@x.de", thief))).visitorChanged).toBe(true);
    expect(await statusOf("thief")).toMatchObject({ email: true });
    now.at += 1000;
    await record({ ...linked, visitor: { ...NO_VISITOR, fingerprintId: "ann" } });
    expect(await statusOf("ann")).toMatchObject({ email: null });
    await record({ ...linked, visitor: { ...NO_VISITOR, fingerprintId: "ann" }, sentBy: undefined });
    expect(await statusOf("ann")).toMatchObject({ email: true });
  });
});
