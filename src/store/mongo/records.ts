import type { Interaction } from "../../domain/interaction.js";
import type { ModelRecord, TrainingReason } from "../../domain/model.js";
import { model, trainingReason } from "../schema/apps.js";
import { flag, later, list, number, oneOf, record, text, time } from "../schema/kinds.js";
import { type RecordsOf, SCHEMA } from "../schema/schema.js";

/** A model's record, and the file in GridFS that holds its bytes. */
export interface StoredModel {
  readonly record: Omit<ModelRecord, "reason">;
  readonly fileId: string;
  readonly fileChecksum: number;
  /** Lengths of the pieces the bytes are read in; empty for one, as all had before. */
  readonly pieces: readonly number[];
  readonly reason: TrainingReason;
}

/** An interaction and whose it is. */
export interface HistoryRow extends Omit<Interaction, "bot"> {
  readonly visitorId: string;
  readonly bot: boolean;
}

export function historyRow(visitorId: string, { type, at, productIds, ref, bot }: Interaction): HistoryRow {
  return { visitorId, type, at, productIds, ref, bot: bot === true };
}

export function interactionOf({ type, at, productIds, ref, bot }: HistoryRow): Interaction {
  return { type, at, productIds, ref, ...(bot && { bot }) };
}

/** The tables of this store, by the kind of their records. */
export const KINDS = {
  ...SCHEMA,
  interactions: record<HistoryRow>({
    visitorId: text,
    type: oneOf("product_view", "add_to_cart", "order"),
    at: time,
    productIds: list(text),
    ref: text,
    bot: later(flag, false),
  }),
  models: record<StoredModel>({
    record: model,
    fileId: text,
    fileChecksum: number,
    pieces: later(list(number), []),
    reason: trainingReason,
  }),
};

export type MongoRecords = RecordsOf<typeof KINDS>;
