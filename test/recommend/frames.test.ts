import { describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";

describe("a frame configuration that is not known", () => {
  it("is counted, and a known one is not", async () => {
    const { rpc, recommend, metrics } = await openAisle();
    await rpc.apps.createApp({ app: { appId: "shop" } });
    await rpc.apps.setFrameConfiguration({ appId: "shop", frameConfiguration: { frameId: "home" } });
    const ask = (frameId: string) =>
      recommend({ appId: "shop", productInteractions: [], marketingMachineFrameConfigurationId: frameId });
    await ask("home");
    await ask("default");
    await ask("");
    expect(metrics.counts.get("recommend_unknown_frames")).toBeUndefined();
    await ask("nothing");
    expect(metrics.counts.get("recommend_unknown_frames")).toBe(1);
  });
});
