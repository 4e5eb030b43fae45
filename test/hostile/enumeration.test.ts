import { expect, it } from "vitest";
import { LINK_LIMITS } from "../../src/identity/links/link-limits.js";
import { openAisle } from "../fixtures/aisle.js";

it.each([
  ["a proxy that is not named", "172.17.0.2", (n: number) => ({ "x-forwarded-for": `203.0.113.${n}` })],
  ["several that are not named", "10.0.0.1", (n: number) => ({ "x-forwarded-for": `203.0.113.${n}, 10.9.8.${n}` })],
  ["one that says nothing", "192.168.1.1", () => ({})],
])(
  "claiming 60 subscribers' addresses behind %s links no more than the limit of one network",
  async (_, peer, headers) => {
    const { rpc, trace, status } = await openAisle();
    await rpc.apps.createApp({ app: { appId: "shop" } });
    const subscribe = { app_id: "shop", action_type: "subscribe" };
    for (let n = 0; n < 60; n++) await trace({ ...subscribe, email: `ann${n}@x.de` }, "198.51.100.7");
    let known = 0;
    for (let n = 0; n < 60; n++) {
      const form = { app_id: "shop", action_type: "homepage_view", email: `ann${n}@x.de`, fp_ccid: `thief${n}` };
      expect((await trace(form, peer, headers(n))).status).toBe(200);
      if ((await status("shop", `thief${n}`)).identified) known++;
    }
    expect(known).toBe(LINK_LIMITS.perNetwork);
  },
);
