import type { Interaction } from "../domain/interaction.js";
import type { ModelRecord } from "../domain/model.js";

/** Sorts interactions by descending time. Equal times sort by descending ref, so that the order is deterministic. */
export function newestInteractionFirst(a: Interaction, b: Interaction): number {
  return b.at - a.at || (a.ref < b.ref ? 1 : a.ref > b.ref ? -1 : 0);
}

interface Stored {
  readonly record: Pick<ModelRecord, "modelId" | "createdAt">;
}

/** Sorts stored models by descending time, then by descending id. */
export function newestModelFirst(a: Stored, b: Stored): number {
  return b.record.createdAt - a.record.createdAt || (a.record.modelId < b.record.modelId ? 1 : -1);
}
