import type { ClockMark } from "../../domain/clock.js";
import type { Interaction } from "../../domain/interaction.js";
import type { ModelRecord, TrainingReason } from "../../domain/model.js";
import { model, trainingReason } from "../schema/apps.js";
import { later, list, number, record, text, time } from "../schema/kinds.js";
import { type RecordsOf, SCHEMA } from "../schema/schema.js";

/** A model's record and the checksum of its file. */
export interface StoredModel {
  readonly record: Omit<ModelRecord, "reason">;
  readonly fileChecksum: number;
  /** Lengths of the pieces the bytes are read in; empty for one, as all had before. */
  readonly pieces: readonly number[];
  readonly reason: TrainingReason;
}

/** The clock at a commit, and how long its machine had run then. */
export interface SavedClock extends ClockMark {
  /** Id of the machine's boot; "" when unknown. */
  readonly boot: string;
  /** Milliseconds since boot, with and without time asleep. */
  readonly uptimeMs: number;
  readonly monotonicMs: number;
}

export const savedClockKind = record<SavedClock>({
  goodAt: time,
  livedAt: number,
  idAt: time,
  at: time,
  boot: text,
  uptimeMs: number,
  monotonicMs: number,
});

/** The kind of each table's records. The table of interactions has its own codec, see below. */
export const KINDS = {
  ...SCHEMA,
  /** Idempotency keys by time, so that the sweep finds expired ones. */
  idempotencyTimes: text,
  /** Change ids by contact. */
  contactChanges: text,
  models: record<StoredModel>({
    record: model.inline,
    fileChecksum: number,
    pieces: later(list(number), []),
    reason: trainingReason,
  }),
};

export interface EmbeddedRecords extends RecordsOf<typeof KINDS> {
  readonly interactions: Interaction;
}
