import { expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";

const MINUTE = 60_000;
const utc = (at: number) => new Date(at).toISOString();

it("a repeated form with its key is the same event, also when the clock makes another of its times count", async () => {
  const { rpc, trace, now } = await openAisle();
  await rpc.apps.createApp({ app: { appId: "shop" } });
  // The first is too far ahead to be believed at first, so the second counts.
  const times = {
    event_utc_date: utc(now.at + 6 * MINUTE)
      .slice(0, 19)
      .replace("T", " "),
    utc_time: utc(now.at - MINUTE),
  };
  const form = { app_id: "shop", action_type: "other", c_id: "c1", idempotency_key: "key-1", ...times };
  const first = await trace(form);
  expect(first.status).toBe(200);
  for (const minutes of [2, 10, -20]) {
    now.at += minutes * MINUTE;
    expect(await trace(form)).toMatchObject({ status: 200, eventId: first.eventId });
  }
  const reordered = Object.fromEntries(Object.entries(form).reverse());
  expect(await trace(reordered)).toMatchObject({ status: 200, eventId: first.eventId });
  expect(await trace({ ...form, utc_time: utc(now.at) })).toMatchObject({ status: 422 });
});
