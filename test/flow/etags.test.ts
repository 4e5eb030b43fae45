import { create } from "@bufbuild/protobuf";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { storeKinds } from "../fixtures/stores.js";

const FIVE_DAYS = create(DurationSchema, { seconds: 5n * 86_400n });
const stores = await storeKinds();

describe.each(stores)("updates and etags: $name", ({ openStore }) => {
  const open = async () => {
    const { rpc } = await openAisle(openStore);
    const { app } = await rpc.apps.createApp({
      app: {
        appId: "shop",
        displayName: "Shop",
        allowedOrigins: ["https://shop.example"],
        privacy: { retention: FIVE_DAYS },
      },
    });
    return { ...rpc, app };
  };

  it("UpdateApp without a mask changes the fields that are set", async () => {
    const { apps } = await open();
    const { app } = await apps.updateApp({ app: { appId: "shop", doubleOptIn: true } });
    expect(app).toMatchObject({ displayName: "Shop", allowedOrigins: ["https://shop.example"], doubleOptIn: true });
  });

  it("UpdateApp without a mask and with a display name alone widens nothing", async () => {
    const { apps } = await open();
    const { app } = await apps.updateApp({ app: { appId: "shop", displayName: "Other" } });
    expect(app).toMatchObject({ allowedOrigins: ["https://shop.example"], privacy: { retention: FIVE_DAYS } });
  });

  it("UpdateApp without a mask keeps what its privacy settings leave out", async () => {
    const { apps } = await open();
    const { app } = await apps.updateApp({ app: { appId: "shop", privacy: { signals: 2 } } });
    expect(app?.privacy).toMatchObject({ signals: 2, retention: FIVE_DAYS });
  });

  it("UpdateApp without a mask ends a retention by a duration of 0", async () => {
    const { apps } = await open();
    const { app } = await apps.updateApp({ app: { appId: "shop", privacy: { retention: {} } } });
    expect(app?.privacy?.retention).toBeUndefined();
  });

  it.each([
    ["retention", { seconds: 3600n }],
    ["retention", { seconds: -86_400n }],
    ["retention", { seconds: 36_501n * 86_400n }],
    ["rejectedRetention", { seconds: 86_400n, nanos: 1 }],
  ])("UpdateApp refuses a %s that is not 0 to 36,500 whole days", async (name, duration) => {
    const { apps } = await open();
    const field = name === "retention" ? "retention" : "rejected_retention";
    await expect(apps.updateApp({ app: { appId: "shop", privacy: { [name]: duration } } })).rejects.toThrow(
      `[invalid_argument] Invalid field: app.privacy.${field}, 0 to 36500 whole days`,
    );
  });

  it("UpdateApp with a mask changes what it names, also to the default", async () => {
    const { apps } = await open();
    const asked = { appId: "shop", displayName: "Other", privacy: { signals: 2 } };
    const paths = ["allowed_origins", "privacy.signals"];
    const { app } = await apps.updateApp({ app: asked, updateMask: { paths } });
    expect(app).toMatchObject({
      displayName: "Shop",
      allowedOrigins: [],
      privacy: { signals: 2, retention: FIVE_DAYS },
    });
  });

  it("UpdateApp with * replaces all settings, and refuses a field that it does not know", async () => {
    const { apps } = await open();
    const update = (path: string) => apps.updateApp({ app: { appId: "shop" }, updateMask: { paths: [path] } });
    expect((await update("*")).app).toMatchObject({ displayName: "", allowedOrigins: [], learnedAfterVisitors: 3 });
    for (const path of ["create_time", "app_id", "nothing", "constructor"])
      await expect(update(path)).rejects.toThrow(new RegExp(`invalid_argument.*update_mask, ${path}`));
  });

  it("an app is changed and deleted only when the etag is current", async () => {
    const { apps, app } = await open();
    const update = (displayName: string, etag?: string) =>
      apps.updateApp({ app: { appId: "shop", displayName }, etag });
    const changed = await update("New", app?.etag);
    await expect(update("Newer", app?.etag)).rejects.toThrow(/aborted/);
    await expect(apps.deleteApp({ appId: "shop", etag: app?.etag })).rejects.toThrow(/aborted/);
    expect((await apps.getApp({ appId: "shop" })).app).toMatchObject({ displayName: "New", etag: changed.app?.etag });
    await apps.deleteApp({ appId: "shop", etag: changed.app?.etag });
  });

  it("a frame, a group, a feed and a hook are written and removed only when the etag is current", async () => {
    const { apps, catalog, hooks } = await open();
    const appId = "shop";
    const cases = [
      {
        set: async (n: number, etag?: string) => {
          const frameConfiguration = { frameId: "f", recommendedCount: n };
          return (await apps.setFrameConfiguration({ appId, frameConfiguration, etag })).frameConfiguration?.etag;
        },
        read: async () => (await apps.getFrameConfiguration({ appId, frameId: "f" })).frameConfiguration?.etag,
        remove: (etag?: string) => apps.deleteFrameConfiguration({ appId, frameId: "f", etag }),
      },
      {
        set: async (n: number, etag?: string) =>
          (await catalog.setProductGroup({ appId, group: { groupId: "g", tags: [`t${n}`] }, etag })).group?.etag,
        read: async () => (await catalog.listProductGroups({ appId })).groups[0]?.etag,
        remove: (etag?: string) => catalog.deleteProductGroup({ appId, groupId: "g", etag }),
      },
      {
        set: async (n: number, etag?: string) => {
          const feed = { feedId: "f", url: `https://shop.example/${n}`, interval: { seconds: 3600n } };
          return (await catalog.setFeed({ appId, feed, etag })).feed?.etag;
        },
        read: async () => (await catalog.listFeeds({ appId })).feeds[0]?.etag,
        remove: (etag?: string) => catalog.deleteFeed({ appId, feedId: "f", etag }),
      },
      {
        set: async (n: number, etag?: string) =>
          (await hooks.setHook({ appId, url: `https://shop.example/${n}`, etag })).etag,
        read: async () => (await hooks.getHook({ appId })).etag,
        remove: (etag?: string) => hooks.deleteHook({ appId, etag }),
      },
    ];
    for (const { set, read, remove } of cases) {
      const first = await set(1, "");
      await expect(set(2, "")).rejects.toThrow(/aborted/); // it is there by now
      const second = await set(2, first);
      expect(second).not.toBe(first);
      await expect(set(3, first)).rejects.toThrow(/aborted/);
      await expect(remove(first)).rejects.toThrow(/aborted/);
      expect(await read()).toBe(second);
      await set(3);
      await remove(await read());
    }
  });
});
