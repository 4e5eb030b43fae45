/** Recorded sessions of `../shared/data/behaviour`, by the time of their end. */
import { join } from "node:path";
import { sharedData } from "../../test/fixtures/shared-data.js";
import { sessionsOf } from "../behaviour.js";
import type { ShopSession } from "./shops.js";

export const RECORDED = ["diginetica", "yoochoose_100k", "tmall", "online_retail"] as const;

export async function recordedSessions(name: string, part: "train" | "dev"): Promise<ShopSession[]> {
  const folder = sharedData("behaviour", name);
  if (folder === undefined) throw new Error(`shared/data/behaviour/${name} is missing (set AISLE_SHARED_DATA)`);
  const sessions = await sessionsOf(join(folder, `${part}.csv.gz`));
  return sessions
    .map((steps) => ({ items: steps.map(({ item }) => item), endedAt: steps.at(-1)?.at ?? 0 }))
    .sort((a, b) => a.endedAt - b.endedAt);
}
