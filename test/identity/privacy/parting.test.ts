import { describe, expect, it } from "vitest";
import { type Erasure, NOBODY } from "../../../src/domain/erasure.js";
import type { Seal } from "../../../src/domain/secret-encryption.js";
import { createParting } from "../../../src/identity/privacy/erasure-steps.js";
import { createSuppressions } from "../../../src/identity/suppressions.js";
import { app, contact } from "../../contract/samples.js";
import { storeKinds } from "../../fixtures/stores.js";

const stores = await storeKinds();

/** Secrets as they are. */
const PLAIN: Seal = { seal: (_, text) => text, open: (_, text) => text, isStale: () => false };

describe.each(stores)("the parting of a person: $name", ({ openStore }) => {
  it("suppresses the addresses that it finds, and not again those it knew: the person may have subscribed since", async () => {
    const store = await openStore(() => 9);
    await store.apps.create(app("shop"));
    const suppressions = createSuppressions({ seal: PLAIN });
    const part = createParting({ suppressions, newKey: () => "5a".repeat(32) });
    const erasure: Erasure = {
      erasureId: "e1",
      startedAt: 5,
      finishedAt: 0,
      workedAt: 5,
      step: "recheck",
      upTo: "",
      person: { ...NOBODY, contactIds: ["k1"], contactKeys: ["e:ada@shop.example"] },
      counts: {},
      contactsKept: 0,
      isSecond: false,
    };
    await store.unitOfWork.run("shop", (tx) =>
      tx.contacts.put("k1", contact("k1", { email: "ada@shop.example", phone: "+48123456789" })),
    );
    const found = await store.unitOfWork.run("shop", (tx) => {
      part(tx, erasure, erasure.person.contactKeys);
      return ["e:ada@shop.example", "p:+48123456789"].map((key) => suppressions.find(tx, key));
    });
    expect(found).toEqual([undefined, { suppressedAt: 5, source: "erasure" }]);
  });
});
