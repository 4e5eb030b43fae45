import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HookMessage } from "../../src/adapters/hook-sender.js";
import { createSeal, SecretKeyMissing } from "../../src/domain/secret-encryption.js";
import { sign } from "../../src/domain/signature.js";
import { LinkPurpose } from "../../src/gen/aisle/v1/link_pb.js";
import { SubscriptionChannel, SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { resealSecrets } from "../../src/identity/hooks/reseal-secrets.js";
import { signatureHeaders } from "../../src/identity/hooks/signature.js";
import { migrateApp } from "../../src/store/migrate/migrate-app.js";
import type { Store } from "../../src/store/ports/store.js";
import { openAisle, wireAisle } from "../fixtures/aisle.js";
import { launchServer, rpcClients, startServer } from "../fixtures/server.js";
import { serverStoreKinds } from "../fixtures/server-stores.js";
import { emptyStore, testClock, testIds } from "../fixtures/store.js";
import { storeKinds } from "../fixtures/stores.js";

const OLD = "0ld-Key-".repeat(5);
const NEW = "n3w-Key-".repeat(5);
const EMAIL = "ada@shop.example";

const stores = await storeKinds();

describe.each(stores)("secrets at rest: $name", ({ openStore }) => {
  /** A shop whose store has one secret of each kind; `works` uses each with the services of a server with these keys. */
  async function shop(current: string | undefined) {
    const sent: HookMessage[] = [];
    const sendHook = async (message: HookMessage) => {
      sent.push(message);
      return { failure: undefined, status: 204 };
    };
    const first = await openAisle(openStore, { publicUrl: "https://aisle.test", sendHook });
    const { store, now } = first;
    const newId = testIds();
    const aisle = (seal = createSeal(current)) =>
      wireAisle(store, { seal, newId, now, monotonicNow: now, publicUrl: "https://aisle.test", sendHook });
    const { clients } = aisle();
    await clients.apps.createApp({ app: { appId: "shop" } });
    const { secret: hookSecret } = await clients.hooks.setHook({ appId: "shop", url: "https://hooks.shop.example/in" });
    const { secret: signingSecret } = await clients.apps.createSigningSecret({ appId: "shop" });
    await clients.subscriptions.setSubscription({
      appId: "shop",
      email: EMAIL,
      emailState: SubscriptionState.SUBSCRIBED,
    });
    const { url } = await clients.subscriptions.createLink({
      appId: "shop",
      contact: { case: "email", value: EMAIL },
      purpose: LinkPurpose.UNSUBSCRIBE,
      channel: SubscriptionChannel.EMAIL,
    });
    let n = 0;
    const works = async (seal: ReturnType<typeof createSeal>) => {
      const { clients, deliverHooks } = aisle(seal);
      now.at += 60_000;
      const token = url.slice(url.lastIndexOf("/") + 1);
      await clients.subscriptions.getLink({ token });
      const emailState = n % 2 === 0 ? SubscriptionState.UNSUBSCRIBED : SubscriptionState.SUBSCRIBED;
      await clients.subscriptions.setSubscription({ appId: "shop", email: EMAIL, emailState });
      sent.length = 0;
      await deliverHooks?.();
      const { body, headers } = sent.at(-1)!;
      expect(headers).toMatchObject(signatureHeaders(hookSecret, headers["webhook-id"] ?? "", now(), body));
      const signed = { id: `e${n++}`, timestamp: String(Math.floor(now() / 1000)), body: Buffer.from("x=1") };
      const signature = { ...signed, signatures: sign(signingSecret, signed) };
      const { eventId } = await clients.events.recordEvent({
        appId: "shop",
        event: { actionType: "other" },
        signature,
      });
      expect(eventId).not.toBe("");
    };
    const texts = async () => {
      const secrets = await store.hooks.secrets("shop");
      return [
        secrets?.linkKey ?? "",
        secrets?.hook?.secret ?? "",
        ...(secrets?.signing ?? []).map(({ secret }) => secret),
      ];
    };
    return { store, works, texts, hookSecret, signingSecret };
  }

  const reseal = (store: Store, seal: ReturnType<typeof createSeal>) =>
    resealSecrets({ kept: store.hooks, unitOfWork: store.unitOfWork, seal });

  it("are plain text without a key, encrypted at the next start with one, and keep working", async () => {
    const { store, works, texts, hookSecret, signingSecret } = await shop(undefined);
    const [linkKey, ...plain] = await texts();
    expect(linkKey).toMatch(/^[0-9a-f]{64}$/);
    expect(plain).toEqual([hookSecret, signingSecret]);
    await works(createSeal(undefined));
    expect(await reseal(store, createSeal(OLD))).toBe(1);
    for (const text of await texts()) expect(text).toMatch(/^sealed:1:/);
    await works(createSeal(OLD));
    expect(await reseal(store, createSeal(OLD))).toBe(0);
  });

  it("are written encrypted, and change to another key and back to none", async () => {
    const { store, works, texts } = await shop(OLD);
    const before = await texts();
    expect(before).toHaveLength(3);
    for (const text of before) expect(text).toMatch(/^sealed:1:/);
    await works(createSeal(OLD));
    await works(createSeal(NEW, OLD));
    expect(await reseal(store, createSeal(NEW, OLD))).toBe(1);
    await works(createSeal(NEW));
    await expect(reseal(store, createSeal(OLD))).rejects.toBeInstanceOf(SecretKeyMissing);
    expect(await reseal(store, createSeal(undefined, NEW))).toBe(1);
    for (const text of await texts()) expect(text).not.toMatch(/^sealed:/);
    await works(createSeal(undefined));
  });

  it("are encrypted for all apps, however many there are", async () => {
    const { store } = await shop(undefined);
    const { clients } = wireAisle(store);
    const appIds = Array.from({ length: 120 }, (_, n) => `app-${n}`);
    for (const appId of appIds) {
      await clients.apps.createApp({ app: { appId } });
      if (Number(appId.slice(4)) % 2 === 0) await clients.apps.createSigningSecret({ appId });
    }
    expect(await reseal(store, createSeal(OLD))).toBe(61);
    for (const appId of appIds)
      for (const { secret } of (await store.hooks.secrets(appId))?.signing ?? []) expect(secret).toMatch(/^sealed:1:/);
  });

  it("stay encrypted in a copy of the app", async () => {
    const { store, texts } = await shop(OLD);
    const target = await emptyStore();
    const onProgress = () => undefined;
    await migrateApp({ from: store, to: target, now: testClock(), newId: testIds(), again: false, onProgress }, "shop");
    expect(await texts()).toEqual(
      [await target.hooks.secrets("shop")].flatMap((secrets) => [
        secrets?.linkKey,
        secrets?.hook?.secret,
        ...(secrets?.signing ?? []).map(({ secret }) => secret),
      ]),
    );
  });
});

const servers = await serverStoreKinds();

describe.each(servers)("a server with encrypted secrets: $name", ({ newStore, env, name }) => {
  it("starts with the right key only, and names the key it needs", async () => {
    const store = await newStore();
    const keys = (current = "", previous = "") => ({
      ...env,
      AISLE_SECRET_KEY: current,
      AISLE_SECRET_KEY_PREVIOUS: previous,
    });
    const first = await startServer({ store, env: keys(OLD) });
    const { apps } = rpcClients(first.rpcUrl);
    await apps.createApp({ app: { appId: "shop" } });
    const { secret } = await apps.createSigningSecret({ appId: "shop" });
    expect(await first.end("SIGTERM")).toBe(0);
    for (const wrong of [keys(), keys(NEW)]) {
      const launched = launchServer({ store, env: wrong });
      expect(await launched.ended).toBe(2);
      await launched.ready.catch(() => undefined);
      expect(launched.output()).toMatch(
        /^(\{.*\}\n)*error: AISLE_SECRET_KEY: the store's secrets are encrypted with the key [0-9a-f]{8}, [^\n]+\n$/,
      );
    }
    const changed = await startServer({ store, env: keys(NEW, OLD) });
    expect(changed.output()).toContain("The secrets of 1 app were encrypted with the current key");
    expect(await changed.end("SIGTERM")).toBe(0);
    const last = await startServer({ store, env: keys(NEW) });
    const { signingSecrets } = await rpcClients(last.rpcUrl).apps.listSigningSecrets({ appId: "shop" });
    expect(signingSecrets).toHaveLength(1);
    expect(await last.end("SIGTERM")).toBe(0);
    if (name !== "embedded") return;
    const directory = store.slice("embedded:".length);
    for (const file of await readdir(directory, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const bytes = await readFile(join(file.parentPath, file.name));
      expect(bytes.includes(secret.slice("whsec_".length))).toBe(false);
    }
  });
});
