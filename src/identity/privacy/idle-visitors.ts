import type { Erasure } from "../../domain/erasure.js";
import type { Visitor } from "../../domain/visitor.js";
import type { PersonStores } from "./export.js";
import { historyRows } from "./scan.js";

/**
 * Ids of visitors that events under way have made while their person was erased, and of whom nothing is kept that came later. The
 * erasure removes them at its end.
 */
export async function idleVisitors(
  { visitors, copies }: Pick<PersonStores, "visitors" | "copies">,
  appId: string,
  erasure: Erasure,
): Promise<readonly string[]> {
  const found = await visitors.find(appId, erasure.person.visitorKeys);
  const idle: string[] = [];
  for (const visitor of found.filter((one) => isIdle(erasure, one))) {
    const histories = await Promise.all(visitor.members.map((member) => historyRows(copies, appId, member)));
    if (histories.every((rows) => rows.length === 0)) idle.push(visitor.visitorId);
  }
  return idle;
}

/** Whether a visitor was made before the call, has no contact and no ids but the person's. */
export function isIdle({ person, startedAt }: Erasure, { createdAt, contactId, keys }: Visitor): boolean {
  return createdAt <= startedAt && contactId === "" && keys.every((key) => person.visitorKeys.includes(key));
}
