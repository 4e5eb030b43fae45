import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";

const days = (count: number) => durationFromMs(count * 86_400_000);

it.each(["retention", "rejectedRetention"])("%s is at most 36,500 whole days", async (name) => {
  const { rpc } = await openAisle();
  const create = (appId: string, count: number) =>
    rpc.apps.createApp({ app: { appId, privacy: { [name]: days(count) } } });
  const { app } = await create("longest", 36_500);
  expect(app?.privacy).toMatchObject({ [name]: { seconds: 36_500n * 86_400n } });
  for (const count of [36_501, 0.5, -1]) await expect(create("other", count)).rejects.toThrow(/privacy\..*retention/);
});
