import { describe, expect, it } from "vitest";
import { type HookEntry, MAILING_SECRETS, type MailingSecrets, outboxKey } from "../../src/domain/hook.js";
import { type OpenStore, useStore } from "./open-store.js";
import { app, hookEntry } from "./samples.js";

const SECRETS: MailingSecrets = {
  linkKey: "5a",
  hook: { url: "https://shop.example/in", secret: "whsec_YQ==", tellsErasures: true },
  signing: [{ secretId: "s1", secret: "sealed:1:00:YQ", createdAt: 7 }],
  signingSince: 5,
};

export function hookStoreContract(name: string, open: OpenStore): void {
  describe(`hook store: ${name}`, () => {
    const under = useStore(open);

    const put = (appId: string, ...entries: HookEntry[]) =>
      under.store.unitOfWork.run(appId, (tx) => {
        for (const entry of entries) tx.outbox.put(outboxKey(entry), entry);
      });
    const setSecrets = (appId: string, secrets: MailingSecrets) =>
      under.store.unitOfWork.run(appId, (tx) => tx.mailingSecrets.put(MAILING_SECRETS, secrets));
    const due = async (now: number, limit = 10) =>
      (await under.store.hooks.due("shop", now, limit)).map(({ messageId }) => messageId);

    it("returns the secrets of an app as they were written, with and without a hook", async () => {
      await setSecrets("shop", SECRETS);
      await setSecrets("shop2", { linkKey: "", hook: null, signing: [], signingSince: 0 });
      expect(await under.store.hooks.secrets("shop")).toEqual(SECRETS);
      expect(await under.store.hooks.secrets("shop2")).toEqual({
        linkKey: "",
        hook: null,
        signing: [],
        signingSince: 0,
      });
      expect(await under.store.hooks.secrets("shop3")).toBeUndefined();
    });

    it("lists apps that have secrets in order of their ids, and those after one", async () => {
      for (const appId of ["b", "a", "c"]) await setSecrets(appId, SECRETS);
      const ids = async (after: string, limit: number) =>
        (await under.store.hooks.apps(after, limit)).map(({ appId }) => appId);
      expect(await ids("", 10)).toEqual(["a", "b", "c"]);
      expect(await ids("a", 1)).toEqual(["b"]);
      expect(await under.store.hooks.apps("b", 10)).toEqual([{ appId: "c", secrets: SECRETS }]);
    });

    it("lists due messages, in order of time, and none of another app", async () => {
      const entry = hookEntry("m1", { attempts: 3, nextAt: 50, failure: "refused", status: 503 });
      await put("shop", hookEntry("m3", { nextAt: 1000 }), entry, hookEntry("m2", { nextAt: 7 }));
      await put("shop2", hookEntry("m9", { nextAt: 1 }));
      expect(await due(49)).toEqual(["m2"]);
      expect(await due(50)).toEqual(["m2", "m1"]);
      expect(await due(2000, 2)).toEqual(["m2", "m1"]);
      expect(await under.store.hooks.due("shop", 50, 10)).toContainEqual(entry);
    });

    it("lists messages that were given up in order of ids", async () => {
      await under.store.unitOfWork.run("shop", (tx) => {
        for (const id of ["m2", "m1"]) tx.deadHooks.put(id, hookEntry(id));
      });
      expect(await under.store.hooks.dead("shop", "", 10)).toEqual([hookEntry("m1"), hookEntry("m2")]);
      expect(await under.store.hooks.dead("shop", "m1", 10)).toEqual([hookEntry("m2")]);
      expect(await under.store.hooks.dead("shop2", "", 10)).toEqual([]);
    });

    it("has nothing of a removed app", async () => {
      await under.store.apps.create(app("shop"));
      await setSecrets("shop", SECRETS);
      await put("shop", hookEntry("m1"));
      await under.store.unitOfWork.run("shop", (tx) => tx.deadHooks.put("m2", hookEntry("m2")));
      await under.store.apps.delete("shop");
      expect(await under.store.hooks.secrets("shop")).toBeUndefined();
      expect(await due(5)).toEqual([]);
      expect(await under.store.hooks.dead("shop", "", 10)).toEqual([]);
    });
  });
}
