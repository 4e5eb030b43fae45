import type { Interaction } from "../../domain/interaction.js";
import type { ModelRecord } from "../../domain/model.js";

/** Orders interactions by falling time; at the same time by falling ref, so that the order is fixed. */
export function newestInteractionFirst(a: Interaction, b: Interaction): number {
  return b.at - a.at || (a.ref < b.ref ? 1 : a.ref > b.ref ? -1 : 0);
}

/** Orders what is kept of models by falling time; at the same time by falling id. */
export function newestModelFirst(a: { readonly record: ModelRecord }, b: { readonly record: ModelRecord }): number {
  return b.record.createdAt - a.record.createdAt || (a.record.modelId < b.record.modelId ? 1 : -1);
}
