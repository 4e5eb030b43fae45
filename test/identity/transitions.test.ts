import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSeal } from "../../src/domain/secret-encryption.js";
import { createImportContacts } from "../../src/identity/import-contacts.js";
import { createLinks } from "../../src/identity/links/links.js";
import { createSetSubscription } from "../../src/identity/set-subscription.js";
import { testSecrets } from "../fixtures/store.js";
import { draft, intake, NO_CONTACT, NO_VISITOR } from "../intake/intake-fixture.js";

const STATES = {
  anonymous: { identified: false, email: null },
  unknown: { identified: true, email: null },
  subscribed: { identified: true, email: true },
  unsubscribed: { identified: true, email: false },
} as const;

type State = keyof typeof STATES;

const EMAIL = "ann@example.com";
const visitor = { ...NO_VISITOR, fingerprintId: "f1" };
const said = (email: string, emailSubscribed: boolean | null) => ({ ...NO_CONTACT, email, emailSubscribed });

async function shop() {
  const all = await intake();
  let calls = 0;
  const newId = () => `0199ffff-0000-7000-8000-${String(++calls).padStart(12, "0")}`;
  const deps = { unitOfWork: all.store.unitOfWork, now: all.now, newId, newSalt: testSecrets() };
  const contactId = async () => {
    await all.record(draft("homepage_view", { contact: said(EMAIL, null) }));
    return (await all.store.contacts.find("shop", `e:${EMAIL}`))?.contactId ?? "";
  };
  return {
    ...all,
    contactId,
    links: createLinks({ ...deps, seal: createSeal(undefined), newKey: () => "5a".repeat(32) }),
    importContacts: createImportContacts(deps),
    setSubscription: createSetSubscription(deps),
  };
}

type Shop = Awaited<ReturnType<typeof shop>>;

const set = ({ setSubscription }: Shop, emailSubscribed: boolean) =>
  setSubscription("shop", { email: EMAIL, phone: "", emailSubscribed, smsSubscribed: null, reason: "", visitor });
const list = ({ importContacts }: Shop, emailSubscribed: boolean, changedAt: number | null) =>
  importContacts("shop", [{ ...said(EMAIL, emailSubscribed), changedAt, reason: "", visitor }]);
const word = async ({ links, contactId }: Shop, purpose: "confirm" | "unsubscribe") => {
  const order = { contactId: await contactId(), email: "", phone: "", channel: "email", validForMs: 0 } as const;
  return links.follow((await links.make("shop", { ...order, purpose })).token, visitor);
};

/** What each line of the table in docs/identity.md stands for. */
const HAPPENINGS: Readonly<Record<string, (to: Shop) => Promise<unknown>>> = {
  "an event without an address": ({ record }) => record(draft("homepage_view", { visitor })),
  "an event with the address": ({ record }) => record(draft("homepage_view", { visitor, contact: said(EMAIL, null) })),
  "an event with another address, of which nothing is known": ({ record }) =>
    record(draft("homepage_view", { visitor, contact: said("new@example.com", null) })),
  "`subscribe` with status 1 or none": async ({ record }) => {
    await record(draft("subscribe", { visitor, contact: said(EMAIL, true) }));
    await record(draft("subscribe", { visitor, contact: said(EMAIL, null) }));
  },
  "`subscribe` with status 0": ({ record }) => record(draft("subscribe", { visitor, contact: said(EMAIL, false) })),
  "`subscribe` that happened before what is known was said": ({ record, now }) =>
    record(draft("subscribe", { visitor, contact: said(EMAIL, true), occurredAt: now.at - 3_600_000 })),
  "`subscriber_status` 1 on another event with the address": ({ record }) =>
    record(draft("homepage_view", { visitor, contact: said(EMAIL, true) })),
  "`subscriber_status` 0 on another event with the address": ({ record }) =>
    record(draft("homepage_view", { visitor, contact: said(EMAIL, false) })),
  "an invalid address, with any status": ({ record }) =>
    record(draft("subscribe", { visitor, contact: said("ann@", false) })),
  "SetSubscription, subscribed": (to) => set(to, true),
  "SetSubscription, unsubscribed": (to) => set(to, false),
  "import without a time, subscribed": (to) => list(to, true, null),
  "import without a time, unsubscribed": (to) => list(to, false, null),
  "import, subscribed, of a later time": (to) => list(to, true, to.now.at),
  "import, unsubscribed, of an hour before what is known was said": (to) => list(to, false, to.now.at - 3_600_000),
  "import, unsubscribed, of two days before what is known was said": (to) => list(to, false, to.now.at - 172_800_000),
  confirmation: (to) => word(to, "confirm"),
  "one-click unsubscription": (to) => word(to, "unsubscribe"),
};

/** Brings the visitor f1 into a state. */
async function begin(to: Shop, state: State): Promise<void> {
  if (state !== "anonymous") await to.record(draft("homepage_view", { visitor, contact: said(EMAIL, null) }));
  const { email } = STATES[state];
  if (email !== null) await to.record(draft("subscribe", { visitor, contact: said(EMAIL, email) }));
  to.now.at += 1000;
}

function isState(text: string): text is State {
  return text in STATES;
}

const document = readFileSync(join(import.meta.dirname, "../../docs/identity.md"), "utf8");
const table =
  document
    .split("## Subscription status")[1]
    ?.split("\n## ")[0]
    ?.split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ) ?? [];
const [header = [], , ...rows] = table;

describe("the table of transitions", () => {
  it("has a row for each event and a column for each state", () => {
    expect(header.slice(1)).toEqual(Object.keys(STATES));
    expect(rows.map(([name]) => name)).toEqual(Object.keys(HAPPENINGS));
  });

  const cells = rows.flatMap(([name = "", ...states]) =>
    states.map((after, at) => [name, header[at + 1] ?? "", after] as const),
  );
  it.each(cells)("says that after %s the state %s becomes %s", async (name, before, after) => {
    if (!isState(before) || !isState(after)) throw new Error("the table names the four states");
    const to = await shop();
    await begin(to, before);
    expect(await to.statusOf("f1")).toMatchObject(STATES[before]);
    await HAPPENINGS[name]?.(to);
    expect(await to.statusOf("f1")).toMatchObject(STATES[after]);
  });
});
