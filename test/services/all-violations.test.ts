import { ConnectError } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { BadRequestSchema } from "../../src/gen/google/rpc/error_details_pb.js";
import { openAisle } from "../fixtures/aisle.js";

type Rpc = Awaited<ReturnType<typeof openAisle>>["rpc"];

it.each<[string, (rpc: Rpc) => Promise<unknown>, string[]]>([
  [
    "CreateApp",
    ({ apps }) => apps.createApp({ app: { appId: "a b", displayName: "a\nb", learnedAfterVisitors: 9999 } }),
    ["app.app_id", "app.display_name", "app.learned_after_visitors"],
  ],
  ["RecordEvent", ({ events }) => events.recordEvent({ event: {} }), ["app_id", "event.action_type"]],
  [
    "SetSubscription",
    ({ subscriptions }) => subscriptions.setSubscription({ email: "x", phone: "y" }),
    ["app_id", "email", "phone", "email_state"],
  ],
  [
    "SetFrameConfiguration",
    ({ apps }) =>
      apps.setFrameConfiguration({
        frameConfiguration: { frameId: "f", recommendedCount: 101, pinnedProductIds: ["", "b", "b"] },
      }),
    [
      "app_id",
      "frame_configuration.recommended_count",
      "frame_configuration.pinned_product_ids[0]",
      "frame_configuration.pinned_product_ids[2]",
    ],
  ],
  [
    "SetProductGroup",
    ({ catalog }) => catalog.setProductGroup({ appId: "shop", group: { groupId: "a|b", brands: [""] } }),
    ["group.group_id", "group.brands[0]"],
  ],
  [
    "SetFeed",
    ({ catalog }) => catalog.setFeed({ appId: "shop", feed: { feedId: "a b", url: "http://x", currency: "euro" } }),
    ["feed.feed_id", "feed.url", "feed.currency", "feed.interval"],
  ],
  [
    "Recommend",
    ({ recommendations }) =>
      recommendations.recommend({ recommendedCount: 101, filter: { price: { min: "x", currency: "1" } } }),
    ["app_id", "filter.price.min", "filter.price.currency", "recommended_count"],
  ],
])("%s names every field at fault", async (_, call, fields) => {
  const { rpc } = await openAisle();
  await rpc.apps.createApp({ app: { appId: "shop" } });
  const error = ConnectError.from(await call(rpc).catch((cause: unknown) => cause));
  expect(error.findDetails(BadRequestSchema)[0]?.fieldViolations.map(({ field }) => field)).toEqual(fields);
});
